import type { LegendEntry } from '@/charts/chart-legend'
import { gapSeconds } from '@/charts/gaps'
import type { TooltipRow } from '@/charts/shared-tooltip'
import type { Mark } from '@/charts/swatch'
import { cores, duration, latency, percent, rate, significant } from '@/lib/format'
import { type Evidence, known, lastKnown, type Values } from './evidence'
import { CAUSES } from './preemptions-option'
import { hasThrottledTime } from './throttling-option'

/** CPU seconds that were throttled per second; many threads at once make more than 1. */
export function throttledRate(value: number | null): string {
  return value === null ? '–' : `${significant(value)} s/s`
}

const THROTTLED_PERIODS: Mark = { shape: 'square', colour: 'quota', faint: true }
const THROTTLED_TIME: Mark = { shape: 'line', colour: 'quotaText' }

export const LATENCY_LEGEND: readonly LegendEntry[] = [
  { name: 'P99', mark: { shape: 'line', colour: 'victim' } },
  { name: 'P50', mark: { shape: 'dash', colour: 'victim' } },
]

export const PREEMPTIONS_LEGEND: readonly LegendEntry[] = CAUSES.map(({ name, colour }) => ({
  name,
  mark: { shape: 'square', colour },
}))

/** The quota as it was in the range: one number, or the first and the last when somebody changed it. */
export function quotaWords(quota: Values): string {
  const values = known(quota)
  const first = values[0]
  const last = values.at(-1)
  if (first === undefined || last === undefined) return 'none'
  return first === last ? `${cores(last)} cores` : `${cores(first)} to ${cores(last)} cores`
}

export function throttlingLegend(evidence: Evidence): LegendEntry[] {
  const legend: LegendEntry[] = [
    { name: 'throttled periods', mark: THROTTLED_PERIODS },
    { name: 'quota', value: quotaWords(evidence.values.quota_cores) },
  ]
  if (hasThrottledTime(evidence)) {
    legend.splice(1, 0, { name: 'throttled time', mark: THROTTLED_TIME })
  }
  return legend
}

/** What an empty throttling plot means: zero, no quota and not counted are three different things. */
export function throttlingNote(evidence: Evidence): string | undefined {
  if (evidence.empty) return undefined
  const { throttled_ratio: ratio, quota_cores: quota } = evidence.values
  const ratios = known(ratio)
  if (ratios.some((value) => value > 0)) return undefined
  const limit = lastKnown(quota)
  if (ratios.length > 0) return `no throttled period in range; quota ${quotaWords(quota)}`
  return limit === null
    ? 'no CPU quota of its own'
    : `no quota period counted in range; quota ${quotaWords(quota)}`
}

/** All charts' rows for one bucket, in legend order. */
export function tooltipRows({ values }: Evidence, index: number): TooltipRow[] {
  const at = (series: Values) => series[index] ?? null
  const by: Record<string, string> = {
    'another container': 'by another container',
    system: 'by system',
    'same container': 'by own threads',
  }
  return [
    {
      name: 'P99 wait',
      value: latency(at(values.runq_p99_seconds)),
      mark: { shape: 'line', colour: 'victim' },
    },
    {
      name: 'P50 wait',
      value: latency(at(values.runq_p50_seconds)),
      mark: { shape: 'dash', colour: 'victim' },
    },
    ...CAUSES.map(({ metric, name, colour }) => ({
      name: by[name] ?? name,
      value: rate(at(values[metric])),
      mark: { shape: 'square', colour } as const,
    })),
    {
      name: 'throttled periods',
      value: percent(at(values.throttled_ratio)),
      mark: THROTTLED_PERIODS,
    },
    {
      name: 'throttled time',
      value: throttledRate(at(values.throttled_seconds_per_second)),
      mark: THROTTLED_TIME,
    },
  ]
}

function spread(values: Values, format: (value: number) => string): string {
  const list = known(values)
  if (list.length === 0) return 'not measured'
  const low = format(Math.min(...list))
  const high = format(Math.max(...list))
  return low === high ? low : `${low} to ${high}`
}

function missingWords({ gaps }: Evidence): string {
  return gaps.length === 0 ? '' : ` No data for ${duration(gapSeconds(gaps))}.`
}

export function latencySummary(evidence: Evidence): string {
  const { runq_p99_seconds: p99, runq_p50_seconds: p50 } = evidence.values
  return `P99 ${spread(p99, latency)}, last ${latency(lastKnown(p99))}; P50 ${spread(p50, latency)}.${missingWords(evidence)}`
}

export function preemptionsSummary(evidence: Evidence): string {
  const parts = CAUSES.map(({ metric, name }) => `${name} ${spread(evidence.values[metric], rate)}`)
  return `Preempted by ${parts.join(', ')}.${missingWords(evidence)}`
}

export function throttlingSummary(evidence: Evidence): string {
  const { throttled_ratio: ratio, quota_cores: quota } = evidence.values
  return `Throttled periods ${spread(ratio, percent)}; quota ${quotaWords(quota)}.${missingWords(evidence)}`
}
