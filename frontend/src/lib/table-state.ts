import { useSearch } from '@tanstack/react-router'
import { useSetSearch } from './shell'
import type { TimeRange } from './time-range'
import { PAGE_SIZES, type TableSearch, writeSearch } from './url-state'

type ListQuery = { sort: string; q?: string; cursor?: string; limit: number } & TimeRange

export type TableState = ListQuery & {
  onSort: (sort: string) => void
  onSearch: (q: string) => void
  onLimit: (limit: number) => void
  onNext: (cursor: string) => void
  onFirst: () => void
  onFirstPage: boolean
}

/** Order, filter and page of the one table of a page, kept in its address. A cursor ends when they change. */
export function useTableState(range: TimeRange, defaultSort: string): TableState {
  const search = useSearch({ strict: false }) as TableSearch
  const setSearch = useSetSearch()
  return {
    ...range,
    sort: search.sort ?? defaultSort,
    q: search.q,
    cursor: search.cursor,
    limit: search.limit ?? PAGE_SIZES[0],
    onFirstPage: search.cursor === undefined,
    onSort: (sort) => setSearch({ sort: sort === defaultSort ? undefined : sort, cursor: undefined }),
    onSearch: (q) => setSearch({ q: q === '' ? undefined : q, cursor: undefined }, true),
    onLimit: (limit) => setSearch({ limit: limit === PAGE_SIZES[0] ? undefined : limit, cursor: undefined }),
    onNext: (cursor) => setSearch({ cursor }),
    onFirst: () => setSearch({ cursor: undefined }),
  }
}

/** The part of the state that the API is asked with. */
export function listQuery(state: TableState): ListQuery {
  const { from, to, sort, q, cursor, limit } = state
  return { from, to, sort, q, cursor, limit }
}

/** Address of all rows behind a table, for its CSV. */
export function csvPath(
  path: string,
  state: TableState,
  filters: Record<string, string | undefined> = {},
): string {
  const { from, to, sort, q } = state
  return `/api/v1${path}${writeSearch({ from, to, sort, q, ...filters })}`
}
