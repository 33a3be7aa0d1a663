import { MAX_RANGE_SECONDS } from '@/lib/time-range'
import type { Domain } from './time-ticks'

/** Three windows: less would show nothing that the table does not say. */
const SHORTEST_MS = 30_000

/** Distance of the plot from the chart's edges; the same for all charts of a page, so that x means one time. */
export type Inset = { left: number; right: number }

export function timeAt(x: number, width: number, inset: Inset, domain: Domain): number {
  const plot = Math.max(1, width - inset.left - inset.right)
  const share = Math.min(1, Math.max(0, (x - inset.left) / plot))
  return domain.from + share * (domain.to - domain.from)
}

export function xOf(instant: number, width: number, inset: Inset, domain: Domain): number {
  const plot = Math.max(1, width - inset.left - inset.right)
  return inset.left + ((instant - domain.from) / (domain.to - domain.from)) * plot
}

/** What a drag selects: whole seconds, in order, at least three windows wide. */
export function draggedDomain(first: number, second: number): Domain {
  const from = Math.min(first, second)
  const to = Math.max(first, second)
  const missing = Math.max(0, SHORTEST_MS - (to - from)) / 2
  return { from: Math.floor((from - missing) / 1000) * 1000, to: Math.ceil((to + missing) / 1000) * 1000 }
}

/** Twice the span around the same middle, neither beyond now nor beyond what the API answers. */
export function zoomedOut({ from, to }: Domain, now: number): Domain {
  const span = Math.min((to - from) * 2, MAX_RANGE_SECONDS * 1000)
  const end = Math.min((from + to) / 2 + span / 2, Math.max(now, to))
  return { from: Math.floor((end - span) / 1000) * 1000, to: Math.floor(end / 1000) * 1000 }
}
