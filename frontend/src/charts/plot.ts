import type { Zone } from '@/lib/clock'
import type { BarSeries, ChartOption, LineSeries } from './chart-option'
import type { ChartTheme } from './chart-theme'
import type { Gap } from './gaps'
import { type Domain, timeTicks } from './time-ticks'
import type { Inset } from './zoom'

export const TICK_FONT_PX = 11
/** Room for the words over a gap. */
const WORDS_ABOVE_PX = 20
const ABOVE_PX = 8
export const BELOW_LAST_PX = 22
const BELOW_PX = 4

/** What the charts of one page share. */
export type Frame = {
  theme: ChartTheme
  domain: Domain
  zone: Zone
  inset: Inset
  /** Ticks on the time axis at most; fewer on a phone. */
  ticks: number
  gaps: readonly Gap[]
}

export type Place = {
  /** The topmost chart says what the hatching means. */
  first?: boolean
  /** The lowest chart carries the times. */
  last?: boolean
}

/** Grid and time axis: everything of an option but the y axis and the series. */
export function plotOption(frame: Frame, place: Place): ChartOption {
  const { theme, domain, inset } = frame
  const ticks = timeTicks(domain, frame.zone, frame.ticks)
  return {
    animation: false,
    textStyle: { fontFamily: theme.font },
    grid: {
      left: inset.left,
      right: inset.right,
      top: place.first && frame.gaps.length > 0 ? WORDS_ABOVE_PX : ABOVE_PX,
      bottom: place.last ? BELOW_LAST_PX : BELOW_PX,
      // ECharts 6 would move the plot to make room for labels: one x must be one time in all charts.
      outerBoundsMode: 'none',
    },
    xAxis: {
      type: 'value',
      min: domain.from,
      max: domain.to,
      // Nor may an axis with bars be wider by half a bar.
      containShape: false,
      splitLine: { show: false },
      axisLine: { show: true, onZero: false, lineStyle: { color: theme.borderStrong } },
      axisTick: {
        show: true,
        length: 4,
        lineStyle: { color: theme.borderStrong },
        customValues: ticks.values,
      },
      axisLabel: {
        show: place.last ?? false,
        customValues: ticks.values,
        formatter: (value: number) => ticks.label(value),
        color: theme.text3,
        fontSize: TICK_FONT_PX,
        margin: 8,
      },
    },
  }
}

/** Horizontal lines and labels with unit; no axis line, no title. */
export function valueAxis(theme: ChartTheme) {
  return {
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: true, lineStyle: { color: theme.grid, width: 1 } },
    axisLabel: { color: theme.text3, fontSize: TICK_FONT_PX, margin: 8 },
  } as const
}

/** Lines break at null, have no points and are never smoothed. */
export function lineSeries(series: LineSeries): LineSeries {
  return {
    type: 'line',
    showSymbol: false,
    symbol: 'circle',
    symbolSize: 7,
    connectNulls: false,
    smooth: false,
    // A line under the crosshair shows its point and stays as it is; the default makes it bolder and lighter.
    emphasis: { lineStyle: { ...series.lineStyle, color: series.lineStyle?.color ?? colourOf(series) } },
    ...series,
  }
}

function colourOf({ color }: LineSeries): string | undefined {
  return typeof color === 'string' ? color : undefined
}

export function barSeries(series: BarSeries): BarSeries {
  return { type: 'bar', emphasis: { disabled: true }, ...series }
}

/** A series without data that hatches the gaps; the words stand once, above the first chart. */
export function gapSeries({ gaps, theme }: Frame, { first }: Place): LineSeries {
  return {
    type: 'line',
    silent: true,
    data: [],
    markArea: {
      silent: true,
      itemStyle: { color: theme.hatch },
      label: { color: theme.text3, fontSize: TICK_FONT_PX, position: 'top', distance: 4 },
      data: gaps.map((gap, index) => [
        { name: first && index === widest(gaps) ? 'no data' : '', xAxis: gap.from },
        { xAxis: gap.to },
      ]),
    },
  }
}

function widest(gaps: readonly Gap[]): number {
  const spans = gaps.map((gap) => gap.to - gap.from)
  return spans.indexOf(Math.max(...spans))
}

/** Distance of the plot from the top and bottom of its chart, pixels: where crosshair and brush may draw. */
export function plotEdges({ grid }: ChartOption): { top: number; bottom: number } {
  const { top, bottom } = Array.isArray(grid) ? (grid[0] ?? {}) : (grid ?? {})
  return { top: Number(top ?? 0), bottom: Number(bottom ?? 0) }
}
