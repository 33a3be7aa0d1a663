import { clockTime, fullTime, type Zone } from '@/lib/clock'
import { duration } from '@/lib/format'
import { useNow } from './use-now'

function secondsSince(at: string, now: number): number {
  return Math.max(0, Math.round((now - Date.parse(at)) / 1000))
}

/** "4 s", counting; the absolute time is in the title. */
export function Ago({
  at,
  prefix = '',
  suffix = '',
  zone = 'utc',
}: {
  at: string
  prefix?: string
  suffix?: string
  zone?: Zone
}) {
  const now = useNow(1000)
  return (
    <time dateTime={at} title={fullTime(at, zone)} className="num">
      {prefix}
      {duration(secondsSince(at, now))}
      {suffix}
    </time>
  )
}

/** "as of 10:47:10, 4 s ago" */
export function Freshness({ at, zone }: { at: string; zone: Zone }) {
  return (
    <span className="num">
      as of {clockTime(at, zone)}, <Ago at={at} zone={zone} suffix=" ago" />
    </span>
  )
}
