import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts'
import type { GridComponentOption, MarkAreaComponentOption } from 'echarts/components'
import type { ComposeOption } from 'echarts/core'

/** What a chart may consist of: exactly the parts chart.tsx registers. */
export type ChartOption = ComposeOption<
  BarSeriesOption | GridComponentOption | LineSeriesOption | MarkAreaComponentOption
>

export type LineSeries = LineSeriesOption
export type BarSeries = BarSeriesOption

/** [epoch ms, value]; a null value breaks the line. */
export type Point = [number, number | null]
