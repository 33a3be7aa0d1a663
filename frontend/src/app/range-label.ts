import { shortTime, type Zone } from '@/lib/clock'
import { instantOf, isRelative, relativeLabel, type TimeRange } from '@/lib/time-range'

/** One end as people read it: relative ends stay words, absolute ones become times. */
export function endLabel(end: string, zone: Zone): string {
  if (isRelative(end)) return end
  const instant = instantOf(end, Date.now())
  return instant === null ? end : shortTime(instant, zone)
}

export function rangeLabel(range: TimeRange, zone: Zone): string {
  const length = relativeLabel(range)
  return length ? `Last ${length}` : `${endLabel(range.from, zone)} – ${endLabel(range.to, zone)}`
}
