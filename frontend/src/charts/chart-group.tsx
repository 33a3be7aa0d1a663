import {
  type CSSProperties,
  createContext,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useContext,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { Zone } from '@/lib/clock'
import styles from './chart-group.module.css'
import type { Buckets } from './gaps'
import { SharedTooltip, type TooltipRow } from './shared-tooltip'
import type { Domain } from './time-ticks'
import { useZoomOutKey } from './use-zoom-out-key'
import { draggedDomain, type Inset, timeAt } from './zoom'

type Shared = { group: string; onHover: (instant: number | null) => void }

const SharedContext = createContext<Shared | null>(null)

/** The crosshair a chart takes part in; null for a chart on its own. */
export function useChartGroup(): Shared | null {
  return useContext(SharedContext)
}

const CLICK_PX = 4

type ChartGroupProps = {
  buckets: Buckets
  domain: Domain
  inset: Inset
  zone: Zone
  /** The rows of all charts for one bucket, in legend order. */
  rowsAt: (index: number) => TooltipRow[]
  onZoom: (domain: Domain) => void
  onZoomOut: () => void
  children: ReactNode
}

/** Charts on one time axis: one crosshair, one tooltip, a drag zooms in, a double click or Ctrl+Z zooms out. */
export function ChartGroup(props: ChartGroupProps) {
  const { buckets, domain, inset, zone, rowsAt, onZoom, onZoomOut, children } = props
  const group = useId()
  const holder = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number | null>(null)
  const [brush, setBrush] = useState<[number, number] | null>(null)
  const start = useRef<number | null>(null)
  const shared = useMemo(() => ({ group, onHover: setHovered }), [group])
  useZoomOutKey(onZoomOut)

  const xIn = useCallback((event: { clientX: number }) => {
    const box = holder.current?.getBoundingClientRect()
    return { x: event.clientX - (box?.left ?? 0), width: box?.width ?? 0 }
  }, [])
  const isOnPlot = (event: MouseEvent | PointerEvent) => {
    const { x, width } = xIn(event)
    const onChart = event.target instanceof Element && event.target.closest('[data-plot]') !== null
    return onChart && x >= inset.left && x <= width - inset.right
  }

  const begin = (event: PointerEvent) => {
    // A finger scrolls the page; zooming by touch would take that away.
    if (event.button !== 0 || event.pointerType === 'touch' || !isOnPlot(event)) return
    start.current = xIn(event).x
  }
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (start.current === null) return
    const { x, width } = xIn(event)
    if (brush === null && Math.abs(x - start.current) < CLICK_PX) return
    if (brush === null) event.currentTarget.setPointerCapture(event.pointerId)
    setBrush([start.current, Math.min(width - inset.right, Math.max(inset.left, x))])
  }
  const finish = () => {
    start.current = null
    if (brush === null) return
    setBrush(null)
    const width = holder.current?.getBoundingClientRect().width ?? 0
    onZoom(draggedDomain(timeAt(brush[0], width, inset, domain), timeAt(brush[1], width, inset, domain)))
  }
  const cancel = () => {
    start.current = null
    setBrush(null)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the time range picker does the same by keyboard
    <div
      ref={holder}
      className={styles.group}
      style={brush ? brushStyle(brush) : undefined}
      data-brushing={brush ? true : undefined}
      onPointerDown={begin}
      onPointerMove={drag}
      onPointerUp={finish}
      onPointerCancel={cancel}
      onDoubleClick={(event) => (isOnPlot(event) ? onZoomOut() : undefined)}
    >
      <SharedContext value={shared}>{children}</SharedContext>
      {hovered !== null && brush === null ? (
        <SharedTooltip
          holder={holder}
          buckets={buckets}
          domain={domain}
          inset={inset}
          zone={zone}
          instant={hovered}
          rowsAt={rowsAt}
        />
      ) : null}
    </div>
  )
}

/** Each plot draws its part of the brush; heads and legends stay clear of it. */
function brushStyle(brush: [number, number]): CSSProperties {
  const style = {
    '--brush-left': `${Math.min(...brush)}px`,
    '--brush-width': `${Math.abs(brush[1] - brush[0])}px`,
  }
  return style as CSSProperties
}
