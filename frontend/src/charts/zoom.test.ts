import { describe, expect, it } from 'vitest'
import { draggedDomain, timeAt, xOf, zoomedOut } from './zoom'

const inset = { left: 50, right: 10 }
const domain = { from: 1_000_000, to: 2_000_000 }

describe('pixels and times', () => {
  it('agree in both directions', () => {
    expect(timeAt(50, 560, inset, domain)).toBe(1_000_000)
    expect(timeAt(300, 560, inset, domain)).toBe(1_500_000)
    expect(xOf(1_500_000, 560, inset, domain)).toBe(300)
  })

  it('stay inside the plot', () => {
    expect(timeAt(0, 560, inset, domain)).toBe(1_000_000)
    expect(timeAt(999, 560, inset, domain)).toBe(2_000_000)
  })
})

describe('a drag', () => {
  it('selects the same in both directions, in whole seconds', () => {
    const wanted = { from: 1_200_000, to: 1_301_000 }
    expect(draggedDomain(1_200_400, 1_300_200)).toEqual(wanted)
    expect(draggedDomain(1_300_200, 1_200_400)).toEqual(wanted)
  })

  it('never selects less than three windows', () => {
    const { from, to } = draggedDomain(1_500_000, 1_504_000)
    expect(to - from).toBeGreaterThanOrEqual(30_000)
    expect(from).toBeLessThan(1_500_000)
    expect(to).toBeGreaterThan(1_504_000)
  })
})

describe('zooming out', () => {
  it('doubles the span around its middle', () => {
    expect(zoomedOut(domain, 9_000_000)).toEqual({ from: 500_000, to: 2_500_000 })
  })

  it('does not ask for the future', () => {
    expect(zoomedOut(domain, 2_000_000)).toEqual({ from: 0, to: 2_000_000 })
  })

  it('stops at what the API answers', () => {
    const day = 86_400_000
    const { from, to } = zoomedOut({ from: 0, to: 30 * day }, 60 * day)
    expect(to - from).toBe(31 * day)
  })
})
