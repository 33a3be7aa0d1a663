import { clockTime, shortTime, type Zone } from '@/lib/clock'

/** Both ends of a chart's x axis, epoch milliseconds. */
export type Domain = { from: number; to: number }

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14].map((n) => n * DAY),
] as const

/** Tick labels are centred: one this near to the right edge would be cut off. */
const EDGE_RATIO = 0.015

function offsetMs(instant: number, zone: Zone): number {
  return zone === 'utc' ? 0 : -new Date(instant).getTimezoneOffset() * MINUTE
}

export type TimeTicks = { values: number[]; label: (instant: number) => string }

/** Ticks on round times of the zone shown, at most as many as asked for. */
export function timeTicks({ from, to }: Domain, zone: Zone, most: number): TimeTicks {
  const span = to - from
  const step = STEPS_MS.find((candidate) => span / candidate <= most) ?? 31 * DAY
  const offset = offsetMs(from, zone)
  const values: number[] = []
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to; at += step) {
    if (to - at >= span * EDGE_RATIO) values.push(at)
  }
  return { values, label: (instant) => tickLabel(instant, step, zone) }
}

/** Hours without a date; the tick that opens a day carries the day. */
function tickLabel(instant: number, step: number, zone: Zone): string {
  const midnight = (instant + offsetMs(instant, zone)) % DAY === 0
  if (step >= DAY || midnight) return shortTime(instant, zone).split(' ').slice(0, 2).join(' ')
  const time = clockTime(instant, zone)
  return step < MINUTE ? time : time.slice(0, 5)
}
