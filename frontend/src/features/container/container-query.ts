import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'
import type { TimeRange } from '@/lib/time-range'

export type ContainerAnswer = Schemas['ContainerAnswer']
export type ContainerDetail = Schemas['ContainerDetail']
export type PreemptedBy = Schemas['PreemptedBy']

export const containerQuery = (id: string, range: TimeRange) =>
  queryOptions({
    queryKey: ['container', id, range],
    queryFn: ({ signal }) =>
      unwrap<ContainerAnswer>(
        api.GET('/api/v1/containers/{id}', { params: { path: { id }, query: range }, signal }),
      ),
    placeholderData: keepPreviousData,
  })
