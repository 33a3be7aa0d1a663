import {
  type CSSProperties,
  createContext,
  type PointerEvent,
  type ReactNode,
  useContext,
  useState,
} from 'react'
import type { Zone } from '@/lib/clock'
import styles from './chart-group.module.css'
import { type Buckets, bucketMiddle, nearestBucket } from './gaps'
import { pointIn } from './point-in'
import { SharedTooltip, type TooltipRow } from './shared-tooltip'
import type { Domain } from './time-ticks'
import { useBrush } from './use-brush'
import { useZoomOutKey } from './use-zoom-out-key'
import { type Inset, timeAt, xOf } from './zoom'

const HoveredContext = createContext<number | null>(null)

/** The bucket under the crosshair; null where there is none, and for a chart on its own. */
export function useHoveredBucket(): number | null {
  return useContext(HoveredContext)
}

const DAY_MS = 86_400_000

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

/**
 * Charts on one time axis: one crosshair, one tooltip, a drag zooms in, a double click or Ctrl+Z zooms out.
 * The crosshair is ours, not `echarts.connect`: that follows points, so it stood still over a gap and
 * vanished from the other charts, just where the reader wants to know when data ended.
 */
export function ChartGroup(props: ChartGroupProps) {
  const { buckets, domain, inset, zone, rowsAt, onZoom, onZoomOut, children } = props
  /** Kept as a time: the buckets move on with every refresh of a running range. */
  const [hovered, setHovered] = useState<{ instant: number; width: number } | null>(null)
  const brush = useBrush({ domain, inset, onZoom })
  useZoomOutKey(onZoomOut)
  const index = hovered === null ? null : nearestBucket(buckets, hovered.instant)
  const width = hovered?.width ?? 0
  const crosshair = index === null ? null : xOf(bucketMiddle(buckets, index), width, inset, domain)

  const follow = (event: PointerEvent<HTMLDivElement>) => {
    const { x, width: present, onPlot } = pointIn(event, inset)
    const at = onPlot ? nearestBucket(buckets, timeAt(x, present, inset, domain)) : null
    setHovered(at === null ? null : { instant: bucketMiddle(buckets, at), width: present })
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the time range picker and the tables do the same by keyboard
    <div
      className={styles.group}
      style={marks(crosshair, brush.span)}
      data-crosshair={crosshair === null ? undefined : true}
      data-brushing={brush.span === null ? undefined : true}
      onPointerDown={(event) => {
        follow(event)
        brush.begin(event)
      }}
      onPointerMove={(event) => {
        follow(event)
        brush.drag(event)
      }}
      onPointerLeave={() => setHovered(null)}
      onPointerUp={brush.finish}
      onPointerCancel={brush.cancel}
      onDoubleClick={(event) => (pointIn(event, inset).onPlot ? onZoomOut() : undefined)}
    >
      <HoveredContext value={index}>{children}</HoveredContext>
      {index !== null && crosshair !== null && brush.span === null ? (
        <SharedTooltip
          room={width}
          crosshair={crosshair}
          start={(buckets.starts[index] ?? 0) * 1000}
          stepSeconds={buckets.stepSeconds}
          withDate={domain.to - domain.from > DAY_MS}
          zone={zone}
          rows={rowsAt(index)}
        />
      ) : null}
    </div>
  )
}

/** Each plot draws its part of crosshair and brush; heads and legends stay clear of them. */
function marks(crosshair: number | null, span: readonly [number, number] | null): CSSProperties {
  const style: Record<string, string> = {}
  if (crosshair !== null) style['--crosshair'] = `${Math.round(crosshair)}px`
  if (span !== null) {
    style['--brush-left'] = `${Math.min(...span)}px`
    style['--brush-width'] = `${Math.abs(span[1] - span[0])}px`
  }
  return style
}
