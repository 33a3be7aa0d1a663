import type { TimeRange } from '@/lib/time-range'

const KEY = 'neighborwatch.recent-ranges'
const KEPT = 5

/** Ranges typed or picked before, newest first. What another version or a hand wrote is left out. */
export function recentRanges(): TimeRange[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isRange).slice(0, KEPT) : []
  } catch {
    // Storage may be closed or hold something else; recent ranges are a comfort, not data.
    return []
  }
}

export function rememberRange(range: TimeRange): void {
  const others = recentRanges().filter((one) => one.from !== range.from || one.to !== range.to)
  try {
    localStorage.setItem(KEY, JSON.stringify([range, ...others].slice(0, KEPT)))
  } catch {
    // As above: a browser that stores nothing loses only the list.
  }
}

function isRange(value: unknown): value is TimeRange {
  if (typeof value !== 'object' || value === null) return false
  return typeof Reflect.get(value, 'from') === 'string' && typeof Reflect.get(value, 'to') === 'string'
}
