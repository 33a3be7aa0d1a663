import { type PointerEvent, useRef, useState } from 'react'
import { pointIn } from './point-in'
import type { Domain } from './time-ticks'
import { draggedDomain, type Inset, timeAt } from './zoom'

/** A hand is never quite still: less than this is a click. */
const CLICK_PX = 4

type BrushOptions = {
  domain: Domain
  inset: Inset
  onZoom: (domain: Domain) => void
}

/** A drag along the time axis; `span` is what it covers so far, in pixels. */
export function useBrush({ domain, inset, onZoom }: BrushOptions) {
  const [span, setSpan] = useState<readonly [number, number] | null>(null)
  const start = useRef<number | null>(null)

  const begin = (event: PointerEvent<HTMLDivElement>) => {
    const { x, onPlot } = pointIn(event, inset)
    // A finger scrolls the page; zooming by touch would take that away.
    if (event.button === 0 && event.pointerType !== 'touch' && onPlot) start.current = x
  }
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (start.current === null) return
    const { x, width } = pointIn(event, inset)
    if (span === null && Math.abs(x - start.current) < CLICK_PX) return
    if (span === null) event.currentTarget.setPointerCapture(event.pointerId)
    setSpan([start.current, Math.min(width - inset.right, Math.max(inset.left, x))])
  }
  const cancel = () => {
    start.current = null
    setSpan(null)
  }
  const finish = (event: PointerEvent<HTMLDivElement>) => {
    cancel()
    if (span === null) return
    const { width } = pointIn(event, inset)
    onZoom(draggedDomain(timeAt(span[0], width, inset, domain), timeAt(span[1], width, inset, domain)))
  }
  return { span, begin, drag, finish, cancel }
}
