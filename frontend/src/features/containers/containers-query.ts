import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'
import { listQuery, type TableState } from '@/lib/table-state'

export type ContainerItem = Schemas['ContainerItem']
export type ContainerList = Schemas['ContainerList']

export type Kind = 'container' | 'system' | 'all'
export type Filters = { kind: Kind; host_id?: string; namespace?: string }

/** Worst first: who opens the page looks for the container that waits. */
export const CONTAINERS_DEFAULT_SORT = '-runq_p99_seconds'

export const containersQuery = (state: TableState, filters: Filters) => {
  const query = { ...listQuery(state), ...filters }
  return queryOptions({
    queryKey: ['containers', query],
    queryFn: ({ signal }) =>
      unwrap<ContainerList>(api.GET('/api/v1/containers', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  })
}
