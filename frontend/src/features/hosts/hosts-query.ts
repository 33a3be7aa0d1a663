import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'
import { listQuery, type TableState } from '@/lib/table-state'

export type HostItem = Schemas['HostItem']
export type HostList = Schemas['HostList']

export const HOSTS_DEFAULT_SORT = '-preempted_by_neighbors_per_second'

export const hostsQuery = (state: TableState) => {
  const query = listQuery(state)
  return queryOptions({
    queryKey: ['hosts', query],
    queryFn: ({ signal }) => unwrap<HostList>(api.GET('/api/v1/hosts', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  })
}
