/** A range as the address keeps it: `now`, `now-15m`, RFC 3339 or epoch milliseconds, as the API reads it. */
export type TimeRange = { from: string; to: string }

export const DEFAULT_RANGE: TimeRange = { from: 'now-1h', to: 'now' }
export const MAX_RANGE_SECONDS = 31 * 86_400

export const PRESETS = ['5m', '15m', '30m', '1h', '3h', '6h', '12h', '1d', '3d', '7d', '30d'] as const

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }
const UNIT_WORD: Record<string, string> = { s: 's', m: 'min', h: 'h', d: 'd' }
const RELATIVE = /^now(?:-(\d{1,6})([smhd]))?$/
const EPOCH_MS = /^\d{12,14}$/
const PLAIN = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2})?)?$/

export function isRelative(text: string): boolean {
  return RELATIVE.test(text)
}

/** Epoch milliseconds of one end of a range, null when it cannot be read. */
export function instantOf(text: string, now: number): number | null {
  const relative = RELATIVE.exec(text)
  if (relative) {
    const unit = UNIT_SECONDS[relative[2] ?? 's'] ?? 1
    return now - Number(relative[1] ?? 0) * unit * 1000
  }
  if (EPOCH_MS.test(text)) return Number(text)
  if (!/^\d{4}-\d{2}-\d{2}T/.test(text)) return null
  const parsed = Date.parse(text)
  return Number.isNaN(parsed) ? null : parsed
}

/** What a person may type: the forms of the address, and `2026-11-18 10:35` in the zone shown. */
export function readTyped(text: string, zone: 'utc' | 'local'): string | null {
  const typed = text.trim()
  if (isRelative(typed) || EPOCH_MS.test(typed)) return typed
  const plain = PLAIN.exec(typed)
  if (plain) {
    const iso = `${plain[1]}T${plain[2] ?? '00:00'}${plain[3] ?? ':00'}${zone === 'utc' ? 'Z' : ''}`
    const parsed = Date.parse(iso)
    return Number.isNaN(parsed) ? null : toIso(parsed)
  }
  const parsed = instantOf(typed, 0)
  return parsed === null ? null : toIso(parsed)
}

export function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z')
}

export type Problem = { field: 'from' | 'to'; message: string }

/** Why a range cannot be asked for, null when it can. */
export function checkRange(range: TimeRange, now: number): Problem | null {
  const from = instantOf(range.from, now)
  const to = instantOf(range.to, now)
  if (from === null) return { field: 'from', message: 'Write now-30m, 2026-11-18 10:35 or RFC 3339.' }
  if (to === null) return { field: 'to', message: 'Write now, now-5m, 2026-11-18 10:35 or RFC 3339.' }
  if (from >= to) return { field: 'from', message: 'From must be before to.' }
  if (to - from > MAX_RANGE_SECONDS * 1000) return { field: 'from', message: 'At most 31 days.' }
  return null
}

/** The range with `now` replaced by the clock: what a shared link must carry. */
export function freeze(range: TimeRange, now: number): TimeRange {
  const from = instantOf(range.from, now)
  const to = instantOf(range.to, now)
  const whole = (instant: number) => toIso(Math.floor(instant / 1000) * 1000)
  return {
    from: from === null ? range.from : whole(from),
    to: to === null ? range.to : whole(to),
  }
}

export function spanSeconds(range: TimeRange, now: number): number {
  const from = instantOf(range.from, now)
  const to = instantOf(range.to, now)
  return from === null || to === null ? 3_600 : Math.max(0, (to - from) / 1000)
}

/** "1 h" of a range that ends now and starts on a whole unit, null otherwise. */
export function relativeLabel(range: TimeRange): string | null {
  const from = RELATIVE.exec(range.from)
  if (range.to !== 'now' || !from?.[1] || !from[2]) return null
  return `${from[1]} ${UNIT_WORD[from[2]] ?? from[2]}`
}

/** The preset of at least twice the length; null for a range that does not end now or has no longer one. */
export function widened(range: TimeRange): TimeRange | null {
  if (relativeLabel(range) === null) return null
  const wanted = 2 * spanSeconds(range, 0)
  const preset = PRESETS.find((one) => spanSeconds({ from: `now-${one}`, to: 'now' }, 0) >= wanted)
  return preset === undefined ? null : { from: `now-${preset}`, to: 'now' }
}

export function isLive(range: TimeRange): boolean {
  return range.to === 'now'
}

/** One step per point of a chart of 360 points, between 5 s and 60 s; a frozen range never changes. */
export function autoRefreshMs(range: TimeRange): number | false {
  if (!isLive(range)) return false
  const step = spanSeconds(range, Date.now()) / 360
  return Math.min(60, Math.max(5, step)) * 1000
}
