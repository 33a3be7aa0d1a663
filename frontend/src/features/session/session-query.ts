import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'

export type Session = Schemas['SessionAnswer']

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => unwrap<Session>(api.GET('/api/v1/session', { signal })),
  staleTime: 5 * 60_000,
})
