import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'

export type Overview = Schemas['OverviewAnswer']

/** The frame tells about the present, whatever range the page looks at. */
export const fleetQuery = queryOptions({
  queryKey: ['fleet'],
  queryFn: ({ signal }) =>
    unwrap<Overview>(
      api.GET('/api/v1/overview', { params: { query: { from: 'now-15m', to: 'now' } }, signal }),
    ),
})
