import { describe, expect, it } from 'vitest'
import { autoRefreshMs, checkRange, freeze, instantOf, readTyped, relativeLabel, widened } from './time-range'

const now = Date.parse('2026-11-18T10:47:10.250Z')

describe('instantOf', () => {
  it('reads every form the API reads', () => {
    expect(instantOf('now', now)).toBe(now)
    expect(instantOf('now-15m', now)).toBe(now - 900_000)
    expect(instantOf('now-2d', now)).toBe(now - 172_800_000)
    expect(instantOf('2026-11-18T10:35:10Z', now)).toBe(Date.parse('2026-11-18T10:35:10Z'))
    expect(instantOf('1790001857600', now)).toBe(1790001857600)
  })

  it('refuses what the API refuses', () => {
    for (const text of ['', 'yesterday', 'now+5m', 'now-5w', '2026-13-40T00:00:00Z', '12']) {
      expect(instantOf(text, now)).toBeNull()
    }
  })
})

describe('readTyped', () => {
  it('takes a plain time in the zone shown', () => {
    expect(readTyped('2026-11-18 10:35', 'utc')).toBe('2026-11-18T10:35:00Z')
    expect(readTyped(' now-6h ', 'utc')).toBe('now-6h')
    expect(readTyped('2026-11-18', 'utc')).toBe('2026-11-18T00:00:00Z')
  })

  it('keeps an offset that was typed', () => {
    expect(readTyped('2026-11-18T12:35:00+02:00', 'utc')).toBe('2026-11-18T10:35:00Z')
  })

  it('refuses a date that does not exist', () => {
    expect(readTyped('2026-02-40 10:00', 'utc')).toBeNull()
  })
})

describe('checkRange', () => {
  it('names the field that is wrong', () => {
    expect(checkRange({ from: 'now-1h', to: 'now' }, now)).toBeNull()
    expect(checkRange({ from: 'x', to: 'now' }, now)?.field).toBe('from')
    expect(checkRange({ from: 'now-1h', to: 'x' }, now)?.field).toBe('to')
    expect(checkRange({ from: 'now', to: 'now-1h' }, now)?.message).toBe('From must be before to.')
    expect(checkRange({ from: 'now-32d', to: 'now' }, now)?.message).toBe('At most 31 days.')
  })
})

it('freezes now to whole seconds, so that a shared link shows the same data later', () => {
  expect(freeze({ from: 'now-1h', to: 'now' }, now)).toEqual({
    from: '2026-11-18T09:47:10Z',
    to: '2026-11-18T10:47:10Z',
  })
})

it('leaves a frozen range as it is', () => {
  const range = { from: '2026-11-18T09:47:10Z', to: '2026-11-18T10:47:10Z' }
  expect(freeze(range, now)).toEqual(range)
})

it('names a relative range by its length', () => {
  expect(relativeLabel({ from: 'now-30m', to: 'now' })).toBe('30 min')
  expect(relativeLabel({ from: 'now-30m', to: 'now-5m' })).toBeNull()
})

it('refreshes by the width of a chart point, within 5 s and 60 s, and never a frozen range', () => {
  expect(autoRefreshMs({ from: 'now-5m', to: 'now' })).toBe(5_000)
  expect(autoRefreshMs({ from: 'now-1h', to: 'now' })).toBe(10_000)
  expect(autoRefreshMs({ from: 'now-30d', to: 'now' })).toBe(60_000)
  expect(autoRefreshMs({ from: 'now-2h', to: 'now-1h' })).toBe(false)
})

it('widens a range that ends now to the next preset of twice its length', () => {
  expect(widened({ from: 'now-1h', to: 'now' })).toEqual({ from: 'now-3h', to: 'now' })
  expect(widened({ from: 'now-90s', to: 'now' })).toEqual({ from: 'now-5m', to: 'now' })
  expect(widened({ from: 'now-30d', to: 'now' })).toBeNull()
  expect(widened({ from: 'now-2h', to: 'now-1h' })).toBeNull()
})
