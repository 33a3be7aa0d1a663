import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'
import type { TimeRange } from '@/lib/time-range'

export type Overview = Schemas['OverviewAnswer']
export type HostTile = Schemas['HostTile']

const FIRST_RUN_POLL_MS = 5_000

/** Enrolled or not, nothing has sent a window yet. */
export function isFirstRun(overview: Overview): boolean {
  return overview.hosts_live === 0 && overview.hosts_stale === 0
}

export const overviewQuery = (range: TimeRange, refetchInterval: number | false) =>
  queryOptions({
    queryKey: ['overview', range],
    queryFn: ({ signal }) =>
      unwrap<Overview>(api.GET('/api/v1/overview', { params: { query: range }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: (query) =>
      query.state.data && isFirstRun(query.state.data) ? FIRST_RUN_POLL_MS : refetchInterval,
  })
