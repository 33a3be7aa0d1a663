import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'
import { listQuery, type TableState } from '@/lib/table-state'

export type EventItem = Schemas['EventItem']
export type EventList = Schemas['EventList']
export type EventKind = EventItem['kind']

export type EventFilters = {
  kind?: EventKind
  host_id?: string
  container_id?: string
  aggressor_id?: string
}

export const EVENTS_DEFAULT_SORT = '-ended_at'

export const eventsQuery = (state: TableState, filters: EventFilters) => {
  const query = { ...listQuery(state), ...filters }
  return queryOptions({
    queryKey: ['events', query],
    queryFn: ({ signal }) => unwrap<EventList>(api.GET('/api/v1/events', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  })
}
