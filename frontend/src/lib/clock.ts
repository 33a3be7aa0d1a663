export type Zone = 'utc' | 'local'

type Instant = string | number | Date | null | undefined

function option(zone: Zone): { timeZone?: string } {
  return zone === 'utc' ? { timeZone: 'UTC' } : {}
}

function toDate(instant: Instant): Date | null {
  if (instant === null || instant === undefined) return null
  const date = new Date(instant)
  return Number.isNaN(date.getTime()) ? null : date
}

/** 10:47:10 */
export function clockTime(instant: Instant, zone: Zone): string {
  const date = toDate(instant)
  if (!date) return '–'
  return date.toLocaleTimeString('en-GB', { ...option(zone), hour12: false })
}

/** 2026-11-18 10:47:10 */
export function fullTime(instant: Instant, zone: Zone): string {
  const date = toDate(instant)
  if (!date) return '–'
  // The Swedish locale writes dates in ISO order.
  return date.toLocaleString('sv-SE', { ...option(zone), hour12: false })
}

/** 18 Nov 10:47 */
export function shortTime(instant: Instant, zone: Zone): string {
  const date = toDate(instant)
  if (!date) return '–'
  const day = date.toLocaleDateString('en-GB', { ...option(zone), day: 'numeric', month: 'short' })
  const time = date.toLocaleTimeString('en-GB', {
    ...option(zone),
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  })
  return `${day} ${time}`
}

/** The zone's name beside a time: UTC, or what the browser calls its own. */
export function zoneName(zone: Zone): string {
  if (zone === 'utc') return 'UTC'
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(new Date())
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? 'Local'
}
