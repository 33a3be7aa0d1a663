import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'
import { listQuery, type TableState } from '@/lib/table-state'

export type AgentItem = Schemas['AgentItem']
export type AgentList = Schemas['AgentList']
export type CollectorStatus = Schemas['CollectorStatus']

export const AGENTS_DEFAULT_SORT = 'host_name'

export const agentsQuery = (state: TableState) => {
  const query = listQuery(state)
  return queryOptions({
    queryKey: ['agents', query],
    queryFn: ({ signal }) => unwrap<AgentList>(api.GET('/api/v1/agents', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  })
}
