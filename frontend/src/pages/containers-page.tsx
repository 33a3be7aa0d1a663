import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ContainersFilters } from '@/features/containers/containers-filters'
import {
  CONTAINERS_DEFAULT_SORT,
  containersQuery,
  type Filters,
} from '@/features/containers/containers-query'
import { ContainersTable } from '@/features/containers/containers-table'
import { count, percent, plural } from '@/lib/format'
import { useSetSearch, useShell } from '@/lib/shell'
import { csvPath, useTableState } from '@/lib/table-state'
import { Card } from '@/ui/card'
import { CsvButton } from '@/ui/csv-button'
import { ListFoot } from '@/ui/list-foot'
import { Fact, PageHead } from '@/ui/page-head'
import { SearchField } from '@/ui/search-field'

const TITLES = { container: 'Containers', system: 'System services', all: 'Containers and system services' }
const NO_FILTER = { q: undefined, kind: undefined, host_id: undefined, namespace: undefined }

export function ContainersPage() {
  const { kind = 'container', host_id, namespace } = useSearch({ from: '/frame/containers' })
  const filters: Filters = { kind, host_id, namespace }
  const { range, refetchInterval } = useShell()
  const setSearch = useSetSearch()
  const table = useTableState(range, CONTAINERS_DEFAULT_SORT)
  const query = useQuery({ ...containersQuery(table, filters), refetchInterval })
  const list = query.data
  const filter = (change: Partial<Filters>) =>
    setSearch({
      ...change,
      ...(change.kind === 'container' ? { kind: undefined } : {}),
      cursor: undefined,
    })
  return (
    <>
      <PageHead
        title="Containers"
        inline
        facts={
          list ? (
            <>
              <Fact>
                {count(list.coverage.hosts_reporting)} of {plural(list.coverage.hosts_known, 'host')} reported
              </Fact>
              <Fact name="coverage">{percent(list.coverage.ratio)}</Fact>
            </>
          ) : null
        }
      />
      <Card
        flush
        title={TITLES[kind]}
        sub={list ? count(list.total) : null}
        aside={
          <>
            <ContainersFilters
              filters={filters}
              hostName={list?.items.find((item) => item.host_id === host_id)?.host_name}
              onChange={filter}
            />
            <SearchField label="Name contains" value={table.q ?? ''} onChange={table.onSearch} />
            <CsvButton path={csvPath('/containers', table, filters)} filename="containers.csv" />
          </>
        }
      >
        <ContainersTable
          query={query}
          sort={table.sort}
          onSort={table.onSort}
          filtered={
            table.q !== undefined || host_id !== undefined || namespace !== undefined || kind !== 'container'
          }
          onClear={() => setSearch({ ...NO_FILTER, cursor: undefined })}
        />
        {list ? (
          <ListFoot {...table} shown={list.items.length} total={list.total} nextCursor={list.next_cursor} />
        ) : null}
      </Card>
    </>
  )
}
