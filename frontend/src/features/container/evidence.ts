import type { Point } from '@/charts/chart-option'
import { type Buckets, bucketMiddle, findGaps, type Gap } from '@/charts/gaps'
import type { Domain } from '@/charts/time-ticks'
import type { Metric, SeriesAnswer } from './evidence-query'

export type Values = readonly (number | null)[]

/** The answer by metric, with the spans in which nothing was measured. */
export type Evidence = {
  buckets: Buckets
  domain: Domain
  values: Record<Metric, Values>
  gaps: Gap[]
  /** No window of this container in the whole range. */
  empty: boolean
}

/** Counters exist in every window; percentiles and quota may be unknown in a window that was measured. */
const ALWAYS_MEASURED: Metric = 'preempted_other_per_second'

export function readEvidence(answer: SeriesAnswer, now: number): Evidence {
  const buckets = { starts: answer.t, stepSeconds: answer.step_seconds }
  const domain = { from: Date.parse(answer.range.from), to: Date.parse(answer.range.to) }
  const of = (metric: Metric) => answer.series.find((series) => series.metric === metric)?.values ?? []
  const values: Record<Metric, Values> = {
    runq_p50_seconds: of('runq_p50_seconds'),
    runq_p99_seconds: of('runq_p99_seconds'),
    runq_unthrottled_p99_seconds: of('runq_unthrottled_p99_seconds'),
    neighbor_wait_cores: of('neighbor_wait_cores'),
    system_wait_cores: of('system_wait_cores'),
    throttled_own_wait_cores: of('throttled_own_wait_cores'),
    throttled_ancestor_wait_cores: of('throttled_ancestor_wait_cores'),
    self_wait_cores: of('self_wait_cores'),
    idle_gap_wait_cores: of('idle_gap_wait_cores'),
    unattributed_wait_cores: of('unattributed_wait_cores'),
    preempted_other_per_second: of('preempted_other_per_second'),
    preempted_system_per_second: of('preempted_system_per_second'),
    preempted_self_per_second: of('preempted_self_per_second'),
    throttled_ratio: of('throttled_ratio'),
    throttled_seconds_per_second: of('throttled_seconds_per_second'),
    quota_cores: of('quota_cores'),
  }
  const measured = (index: number) => (values[ALWAYS_MEASURED][index] ?? null) !== null
  return {
    buckets,
    domain,
    values,
    gaps: findGaps(buckets, domain, measured, now),
    empty: !answer.t.some((_, index) => measured(index)),
  }
}

export function pointsOf({ buckets, values }: Evidence, metric: Metric): Point[] {
  return buckets.starts.map((_, index) => [bucketMiddle(buckets, index), values[metric][index] ?? null])
}

export function known(values: Values): number[] {
  return values.filter((value) => value !== null)
}

export function lastKnown(values: Values): number | null {
  return known(values).at(-1) ?? null
}
