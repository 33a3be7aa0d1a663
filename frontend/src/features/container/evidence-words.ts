import type { LegendEntry } from '@/charts/chart-legend'
import { gapSeconds } from '@/charts/gaps'
import type { TooltipRow } from '@/charts/shared-tooltip'
import type { Mark } from '@/charts/swatch'
import { cores, duration, latency, percent, rate, significant } from '@/lib/format'
import { type Evidence, known, lastKnown, type Values } from './evidence'
import { CAUSES } from './preemptions-option'
import { hasThrottledTime } from './throttling-option'
import { WAIT_PARTS } from './waits-option'

/** CPU seconds of waiting per second: two threads that wait all the time make 2. */
export function waitRate(value: number | null): string {
  return value === null ? '–' : `${significant(value)} s/s`
}

/** CPU seconds that were throttled per second; many threads at once make more than 1. */
export function throttledRate(value: number | null): string {
  return value === null ? '–' : `${significant(value)} s/s`
}

const THROTTLED_PERIODS: Mark = { shape: 'square', colour: 'quota', faint: true }
const THROTTLED_TIME: Mark = { shape: 'line', colour: 'quotaText' }

const P99_UNTHROTTLED: LegendEntry = {
  name: 'P99 without throttling',
  mark: { shape: 'line', colour: 'self' },
}

/** A quota that held it back in range: only then are there two different P99. */
export function isHeldBack({ values }: Evidence): boolean {
  const { runq_p99_seconds: all, runq_unthrottled_p99_seconds: rest } = values
  return all.some((value, index) => value !== null && (rest[index] ?? value) < value)
}

export function latencyLegend(evidence: Evidence): LegendEntry[] {
  return [
    { name: 'P99', mark: { shape: 'line', colour: 'victim' } },
    ...(isHeldBack(evidence) ? [P99_UNTHROTTLED] : []),
    { name: 'P50', mark: { shape: 'dash', colour: 'victim' } },
  ]
}

export const WAITS_LEGEND: readonly LegendEntry[] = WAIT_PARTS.map(({ name, colour, faint }) => ({
  name,
  mark: { shape: 'square', colour, ...(faint ? { faint } : {}) },
}))

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
export function tooltipRows(evidence: Evidence, index: number): TooltipRow[] {
  const { values } = evidence
  const at = (series: Values) => series[index] ?? null
  const by: Record<string, string> = {
    'another container': 'preempted by another container',
    system: 'preempted by system',
    'same container': 'preempted by own threads',
  }
  return [
    {
      name: 'P99 wait',
      value: latency(at(values.runq_p99_seconds)),
      mark: { shape: 'line', colour: 'victim' },
    },
    ...(isHeldBack(evidence)
      ? [
          {
            name: 'P99 without throttling',
            value: latency(at(values.runq_unthrottled_p99_seconds)),
            mark: { shape: 'line', colour: 'self' } as const,
          },
        ]
      : []),
    {
      name: 'P50 wait',
      value: latency(at(values.runq_p50_seconds)),
      mark: { shape: 'dash', colour: 'victim' },
    },
    // Only what there was: seven rows of zeros would hide the one that matters.
    ...WAIT_PARTS.filter(({ metric }) => (at(values[metric]) ?? 0) > 0).map(
      ({ metric, name, colour, faint }) => ({
        name: `waited: ${name}`,
        value: waitRate(at(values[metric])),
        mark: { shape: 'square', colour, ...(faint ? { faint } : {}) } as const,
      }),
    ),
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

export function waitsSummary(evidence: Evidence): string {
  const parts = WAIT_PARTS.map(({ metric, name }) => `${name} ${spread(evidence.values[metric], waitRate)}`)
  return `CPU-seconds waited per second: ${parts.join(', ')}.${missingWords(evidence)}`
}

export function preemptionsSummary(evidence: Evidence): string {
  const parts = CAUSES.map(({ metric, name }) => `${name} ${spread(evidence.values[metric], rate)}`)
  return `Preempted by ${parts.join(', ')}.${missingWords(evidence)}`
}

export function throttlingSummary(evidence: Evidence): string {
  const { throttled_ratio: ratio, quota_cores: quota } = evidence.values
  return `Throttled periods ${spread(ratio, percent)}; quota ${quotaWords(quota)}.${missingWords(evidence)}`
}
