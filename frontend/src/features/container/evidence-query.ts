import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'
import type { TimeRange } from '@/lib/time-range'

export type SeriesAnswer = Schemas['SeriesAnswer']

/** What the four charts draw, in one request, so that all share one grid of times. */
export const METRICS = [
  'runq_p50_seconds',
  'runq_p99_seconds',
  'runq_unthrottled_p99_seconds',
  'neighbor_wait_cores',
  'system_wait_cores',
  'throttled_own_wait_cores',
  'throttled_ancestor_wait_cores',
  'self_wait_cores',
  'idle_gap_wait_cores',
  'unattributed_wait_cores',
  'preempted_other_per_second',
  'preempted_system_per_second',
  'preempted_self_per_second',
  'throttled_ratio',
  'throttled_seconds_per_second',
  'quota_cores',
] as const

export type Metric = (typeof METRICS)[number]

export const evidenceQuery = (id: string, range: TimeRange, maxPoints: number) =>
  queryOptions({
    queryKey: ['series', 'container', id, range, maxPoints],
    queryFn: ({ signal }) =>
      unwrap<SeriesAnswer>(
        api.GET('/api/v1/series', {
          params: {
            query: { scope: `container:${id}`, metric: [...METRICS], max_points: maxPoints, ...range },
          },
          signal,
        }),
      ),
    // The old range of this container, never the figures of another one.
    placeholderData: (before, query) => (query?.queryKey[2] === id ? before : undefined),
  })
