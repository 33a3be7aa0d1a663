import type { ChartOption } from '@/charts/chart-option'
import { type Frame, gapSeries, lineSeries, plotOption, valueAxis } from '@/charts/plot'
import { latency } from '@/lib/format'
import { type Evidence, known, pointsOf } from './evidence'

export type Scale = 'log' | 'linear'

/** 10 µs to 400 ms: the span between a quiet host and a bad one, both away from the edges. */
const USUAL_FLOOR = 1e-5
const USUAL_CEILING = 0.4
const LOWEST = 1e-6

/** The drawn range of the log axis: the usual one, stretched by decades where the data leaves it. */
export function logRange(values: readonly number[]): { min: number; max: number } {
  let max = USUAL_CEILING
  while (values.some((value) => value > max)) max *= 10
  const min = values.some((value) => value < USUAL_FLOOR) ? LOWEST : USUAL_FLOOR
  return { min, max }
}

export function decades(min: number, max: number): number[] {
  const first = Math.ceil(Math.log10(min) - 1e-9)
  const last = Math.floor(Math.log10(max) + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index))
}

function axis(values: readonly number[], scale: Scale, frame: Frame): ChartOption['yAxis'] {
  const base = valueAxis(frame.theme)
  const axisLabel = { ...base.axisLabel, formatter: (value: number) => latency(value) }
  if (scale === 'linear') return { ...base, type: 'value', min: 0, splitNumber: 4, axisLabel }
  const { min, max } = logRange(values)
  const customValues = decades(min, max)
  return {
    ...base,
    type: 'log',
    min,
    max,
    axisTick: { show: false, customValues },
    axisLabel: { ...axisLabel, customValues },
  }
}

export function latencyOption(evidence: Evidence, frame: Frame, scale: Scale): ChartOption {
  const { theme } = frame
  const { runq_p50_seconds: p50, runq_p99_seconds: p99, runq_unthrottled_p99_seconds: rest } = evidence.values
  const heldBack = p99.some((value, index) => value !== null && (rest[index] ?? value) < value)
  const both = [...known(p50), ...known(p99), ...(heldBack ? known(rest) : [])]
  const floor = scale === 'log' ? logRange(both).min : 0
  /** A log axis has no place for 0; such a window waited less than the axis shows. */
  const drawn = (metric: 'runq_p50_seconds' | 'runq_p99_seconds' | 'runq_unthrottled_p99_seconds') =>
    pointsOf(evidence, metric).map(([at, value]) => [at, value === null ? null : Math.max(value, floor)])
  return {
    ...plotOption(frame, { first: true }),
    yAxis: axis(both, scale, frame),
    series: [
      lineSeries({
        name: 'P99',
        data: drawn('runq_p99_seconds'),
        color: theme.victim,
        lineStyle: { width: 2 },
        z: 3,
      }),
      ...(heldBack
        ? [
            lineSeries({
              name: 'P99 without throttling',
              data: drawn('runq_unthrottled_p99_seconds'),
              color: theme.self,
              lineStyle: { width: 1.5 },
              z: 2,
            }),
          ]
        : []),
      lineSeries({
        name: 'P50',
        data: drawn('runq_p50_seconds'),
        color: theme.victim,
        lineStyle: { width: 1.25, type: [4, 3] },
      }),
      gapSeries(frame, { first: true }),
    ],
  }
}
