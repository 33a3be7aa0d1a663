import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'
import type { TimeRange } from '@/lib/time-range'

export type ContainerAnswer = Schemas['ContainerAnswer']
export type ContainerDetail = Schemas['ContainerDetail']

export const containerQuery = (id: string, range: TimeRange) =>
  queryOptions({
    queryKey: ['container', id, range],
    queryFn: ({ signal }) =>
      unwrap<ContainerAnswer>(
        api.GET('/api/v1/containers/{id}', { params: { path: { id }, query: range }, signal }),
      ),
    // The old range of this container, never the figures of another one.
    placeholderData: (before, query) => (query?.queryKey[1] === id ? before : undefined),
  })
