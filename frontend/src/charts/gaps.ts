import type { Domain } from './time-ticks'

/** Where each bucket of a series starts, epoch seconds, and how long one is. */
export type Buckets = { starts: readonly number[]; stepSeconds: number }

export type Gap = Domain

/** A window needs its 10 s, the way to the backend and a moment there: later than this it is missing. */
const ARRIVAL_SECONDS = 60

/** The middle of a bucket: lines, bars and the crosshair meet there. */
export function bucketMiddle(buckets: Buckets, index: number): number {
  return ((buckets.starts[index] ?? 0) + buckets.stepSeconds / 2) * 1000
}

/** The bucket that holds an instant; outside, the nearest one. */
export function nearestBucket(buckets: Buckets, instant: number): number | null {
  const first = buckets.starts[0]
  if (first === undefined) return null
  const index = Math.floor((instant / 1000 - first) / buckets.stepSeconds)
  return Math.min(buckets.starts.length - 1, Math.max(0, index))
}

/**
 * Spans of the axis without any window. The end of a running range is only a gap once
 * its windows are overdue; before that they are on their way.
 */
export function findGaps(
  buckets: Buckets,
  domain: Domain,
  measured: (index: number) => boolean,
  now: number,
): Gap[] {
  const gaps: Gap[] = []
  let from = domain.from
  buckets.starts.forEach((start, index) => {
    if (!measured(index)) return
    const begin = start * 1000
    if (begin - from >= buckets.stepSeconds * 500) gaps.push({ from, to: begin })
    from = begin + buckets.stepSeconds * 1000
  })
  const due = now - ARRIVAL_SECONDS * 1000
  const overdue = from < due && domain.to - from >= buckets.stepSeconds * 1000
  if (overdue) gaps.push({ from, to: domain.to })
  return gaps
}

export function gapSeconds(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, gap) => sum + (gap.to - gap.from) / 1000, 0)
}
