import type { Inset } from './zoom'

type PointEvent = { clientX: number; target: EventTarget; currentTarget: Element }

/** Where in the group an event is, and whether that is on a plot. */
export function pointIn(event: PointEvent, inset: Inset): { x: number; width: number; onPlot: boolean } {
  const box = event.currentTarget.getBoundingClientRect()
  const x = event.clientX - box.left
  const onChart = event.target instanceof Element && event.target.closest('[data-plot]') !== null
  return { x, width: box.width, onPlot: onChart && x >= inset.left && x <= box.width - inset.right }
}
