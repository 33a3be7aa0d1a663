import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'
import { listQuery, type TableState } from '@/lib/table-state'

export type NeighborItem = Schemas['NeighborItem']
export type NeighborList = Schemas['NeighborList']

export const NEIGHBORS_DEFAULT_SORT = '-stolen_cpu_seconds'

export const neighborsQuery = (state: TableState, hostId: string | undefined) => {
  const query = { ...listQuery(state), host_id: hostId }
  return queryOptions({
    queryKey: ['neighbors', query],
    queryFn: ({ signal }) =>
      unwrap<NeighborList>(api.GET('/api/v1/neighbors', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  })
}
