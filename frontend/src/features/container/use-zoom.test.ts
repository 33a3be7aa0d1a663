import { expect, it } from 'vitest'
import { outerRange } from './use-zoom'

const now = Date.parse('2026-11-18T10:47:10Z')

it('keeps a range that ends now live', () => {
  expect(outerRange({ from: 'now-30m', to: 'now' }, now)).toEqual({ from: 'now-1h', to: 'now' })
})

it('doubles a fixed range around its middle', () => {
  expect(outerRange({ from: '2026-11-18T10:00:00Z', to: '2026-11-18T10:10:00Z' }, now)).toEqual({
    from: '2026-11-18T09:55:00Z',
    to: '2026-11-18T10:15:00Z',
  })
})

it('stops at the longest range the API answers', () => {
  expect(outerRange({ from: 'now-30d', to: 'now' }, now)).toEqual({
    from: '2026-10-18T10:47:10Z',
    to: '2026-11-18T10:47:10Z',
  })
})
