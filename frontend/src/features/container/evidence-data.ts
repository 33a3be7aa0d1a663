import type { ChartColumn, ChartData } from '@/charts/chart-data'
import { cores, latency, percent, rate } from '@/lib/format'
import type { Evidence } from './evidence'
import type { Metric } from './evidence-query'
import { throttledRate, waitRate } from './evidence-words'
import { WAIT_PARTS } from './waits-option'

type Format = (value: number | null) => string

function data(evidence: Evidence, columns: readonly [Metric, string, Format][]): ChartData {
  return {
    buckets: evidence.buckets,
    columns: columns.map(
      ([field, name, format]): ChartColumn => ({ field, name, format, values: evidence.values[field] }),
    ),
  }
}

export const latencyData = (evidence: Evidence): ChartData =>
  data(evidence, [
    ['runq_p99_seconds', 'P99', latency],
    ['runq_unthrottled_p99_seconds', 'P99 without throttling', latency],
    ['runq_p50_seconds', 'P50', latency],
  ])

export const waitsData = (evidence: Evidence): ChartData =>
  data(
    evidence,
    WAIT_PARTS.map(({ metric, name }) => [metric, name, waitRate]),
  )

export const preemptionsData = (evidence: Evidence): ChartData =>
  data(evidence, [
    ['preempted_other_per_second', 'another container', rate],
    ['preempted_system_per_second', 'system', rate],
    ['preempted_self_per_second', 'same container', rate],
  ])

export const throttlingData = (evidence: Evidence): ChartData =>
  data(evidence, [
    ['throttled_ratio', 'throttled periods', percent],
    ['throttled_seconds_per_second', 'throttled time', throttledRate],
    ['quota_cores', 'quota, cores', cores],
  ])
