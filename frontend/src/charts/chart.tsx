import { BarChart, LineChart } from 'echarts/charts'
import { GridComponent, MarkAreaComponent } from 'echarts/components'
import { type EChartsType, init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import styles from './chart.module.css'
import { useHoveredBucket } from './chart-group'
import type { ChartOption } from './chart-option'
import { BELOW_LAST_PX } from './plot'

use([BarChart, CanvasRenderer, GridComponent, LineChart, MarkAreaComponent])

/** Pictures are for tickets and slides: twice the pixels keep them sharp there. */
const PICTURE_RATIO = 2

export type ChartHandle = { picture: (background: string) => HTMLCanvasElement }

export type ChartProps = { option: ChartOption; height: number; ref?: Ref<ChartHandle> }

/** The one place that holds an ECharts instance: made when there is room to draw, resized and disposed here. */
export function Chart({ option, height, ref }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null)
  const instance = useRef<EChartsType | null>(null)
  const latest = useRef(option)
  const hovered = useHoveredBucket()

  useLayoutEffect(() => {
    const place = holder.current
    if (!place) return
    const draw = () => {
      if (place.clientWidth === 0) return
      if (instance.current) {
        instance.current.resize()
        return
      }
      instance.current = init(place, null, { renderer: 'canvas' })
      instance.current.setOption(latest.current, { notMerge: true })
    }
    const observer = new ResizeObserver(draw)
    observer.observe(place)
    draw()
    return () => {
      observer.disconnect()
      instance.current?.dispose()
      instance.current = null
    }
  }, [])

  useEffect(() => {
    latest.current = option
    instance.current?.setOption(option, { notMerge: true })
  }, [option])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new option has forgotten what was highlighted
  useEffect(() => {
    if (hovered === null) return
    instance.current?.dispatchAction({ type: 'highlight', dataIndex: hovered })
    return () => instance.current?.dispatchAction({ type: 'downplay', dataIndex: hovered })
  }, [hovered, option])

  useImperativeHandle(ref, () => ({
    picture: (background) =>
      takePicture(latest.current, holder.current?.clientWidth ?? 0, height, background),
  }))

  return <div ref={holder} className={styles.plot} style={{ height }} data-plot aria-hidden />
}

/** Drawn anew beside the page: alone, a plot needs the times that the lowest chart carries for all. */
function takePicture(
  option: ChartOption,
  width: number,
  height: number,
  background: string,
): HTMLCanvasElement {
  const size = { width, height: height + BELOW_LAST_PX }
  const chart = init(document.createElement('div'), null, { renderer: 'canvas', ...size })
  chart.setOption(option)
  chart.setOption({ grid: { bottom: BELOW_LAST_PX }, xAxis: { axisLabel: { show: true } } })
  const picture = chart.renderToCanvas({ pixelRatio: PICTURE_RATIO, backgroundColor: background })
  chart.dispose()
  return picture
}
