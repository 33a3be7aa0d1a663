import type { ChartOption } from '@/charts/chart-option'
import { FAINT_OPACITY } from '@/charts/chart-theme'
import { barSeries, type Frame, gapSeries, lineSeries, plotOption, valueAxis } from '@/charts/plot'
import { percent, significant } from '@/lib/format'
import { type Evidence, known, pointsOf } from './evidence'

export function hasThrottledTime(evidence: Evidence): boolean {
  return known(evidence.values.throttled_seconds_per_second).some((value) => value > 0)
}

/**
 * Share of periods on a fixed scale, so that two containers compare by eye. Throttled time has no upper
 * bound, many threads wait at once: it gets the right axis.
 */
export function throttlingOption(evidence: Evidence, frame: Frame): ChartOption {
  const { theme } = frame
  const base = valueAxis(theme)
  return {
    ...plotOption(frame, { last: true }),
    yAxis: [
      {
        ...base,
        type: 'value',
        min: 0,
        max: 1,
        interval: 0.5,
        axisLabel: { ...base.axisLabel, formatter: (value: number) => percent(value, 0) },
      },
      {
        ...base,
        show: hasThrottledTime(evidence),
        type: 'value',
        position: 'right',
        min: 0,
        splitNumber: 2,
        splitLine: { show: false },
        axisLabel: {
          ...base.axisLabel,
          formatter: (value: number) => (value === 0 ? '0' : `${significant(value)} s/s`),
        },
      },
    ],
    series: [
      barSeries({
        name: 'throttled periods',
        data: pointsOf(evidence, 'throttled_ratio'),
        color: theme.quota,
        itemStyle: { opacity: FAINT_OPACITY },
      }),
      lineSeries({
        name: 'throttled time',
        yAxisIndex: 1,
        data: pointsOf(evidence, 'throttled_seconds_per_second'),
        color: theme.quotaText,
        lineStyle: { width: 1.5 },
      }),
      gapSeries(frame, {}),
    ],
  }
}
