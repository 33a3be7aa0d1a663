import type { ChartOption } from '@/charts/chart-option'
import type { ColourToken } from '@/charts/chart-theme'
import { barSeries, type Frame, gapSeries, plotOption, valueAxis } from '@/charts/plot'
import { significant } from '@/lib/format'
import { WAIT_CAUSES } from '@/lib/wait-causes'
import { type Evidence, known, pointsOf } from './evidence'
import type { Metric } from './evidence-query'

export type WaitPart = { metric: Metric; name: string; colour: ColourToken; faint?: boolean }

/** In legend order, worst first: what others did, what quotas did, what it did itself, the rest. */
export const WAIT_PARTS: readonly WaitPart[] = [
  { metric: 'neighbor_wait_cores', name: WAIT_CAUSES.neighbor.name, colour: 'aggressor' },
  { metric: 'system_wait_cores', name: WAIT_CAUSES.system.name, colour: 'system' },
  { metric: 'throttled_own_wait_cores', name: WAIT_CAUSES.throttled_own.name, colour: 'quota' },
  {
    metric: 'throttled_ancestor_wait_cores',
    name: WAIT_CAUSES.throttled_ancestor.name,
    colour: 'quota',
    faint: true,
  },
  { metric: 'self_wait_cores', name: WAIT_CAUSES.self.name, colour: 'self' },
  { metric: 'idle_gap_wait_cores', name: WAIT_CAUSES.idle_gap.name, colour: 'borderStrong', faint: true },
  { metric: 'unattributed_wait_cores', name: WAIT_CAUSES.unattributed.name, colour: 'borderStrong' },
]

const FAINT = 0.5

/** Nothing in range tells the waits apart: an agent that does not split, or no agent. */
export function isSplit(evidence: Evidence): boolean {
  return WAIT_PARTS.some(({ metric }) => known(evidence.values[metric]).length > 0)
}

/** CPU-seconds of waiting per second; the harmful cause stands on top, so it is drawn from the legend's end. */
export function waitsOption(evidence: Evidence, frame: Frame): ChartOption {
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
        formatter: (value: number) => (value === 0 ? '0' : `${significant(value)} s/s`),
      },
    },
    series: [
      ...WAIT_PARTS.toReversed().map(({ metric, name, colour, faint }) =>
        barSeries({
          name,
          stack: 'wait',
          data: pointsOf(evidence, metric),
          color: frame.theme[colour],
          itemStyle: { opacity: faint ? FAINT : 1 },
        }),
      ),
      gapSeries(frame, {}),
    ],
  }
}
