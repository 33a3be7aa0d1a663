import type { ChartOption } from '@/charts/chart-option'
import type { ColourToken } from '@/charts/chart-theme'
import { barSeries, type Frame, gapSeries, plotOption, valueAxis } from '@/charts/plot'
import { significant } from '@/lib/format'
import { type Evidence, pointsOf } from './evidence'
import type { Metric } from './evidence-query'

export type Cause = { metric: Metric; name: string; colour: ColourToken }

/** In legend order, worst first. */
export const CAUSES: readonly Cause[] = [
  { metric: 'preempted_other_per_second', name: 'another container', colour: 'aggressor' },
  { metric: 'preempted_system_per_second', name: 'system', colour: 'system' },
  { metric: 'preempted_self_per_second', name: 'same container', colour: 'self' },
]

/** The harmful cause stands on top of the own part, so the stack is drawn from the end of the legend. */
export function preemptionsOption(evidence: Evidence, frame: Frame): ChartOption {
  const base = valueAxis(frame.theme)
  return {
    ...plotOption(frame, {}),
    yAxis: {
      ...base,
      type: 'value',
      min: 0,
      splitNumber: 3,
      axisLabel: {
        ...base.axisLabel,
        formatter: (value: number) => (value === 0 ? '0' : `${significant(value)}/s`),
      },
    },
    series: [
      ...CAUSES.toReversed().map(({ metric, name, colour }) =>
        barSeries({
          name,
          stack: 'cause',
          data: pointsOf(evidence, metric),
          color: frame.theme[colour],
        }),
      ),
      gapSeries(frame, {}),
    ],
  }
}
