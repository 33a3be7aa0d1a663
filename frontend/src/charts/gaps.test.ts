import { describe, expect, it } from 'vitest'
import { bucketMiddle, findGaps, gapSeconds, nearestBucket } from './gaps'

const buckets = { starts: [100, 110, 120, 130, 140, 150], stepSeconds: 10 }
const domain = { from: 100_000, to: 160_000 }
const later = 1_000_000
const without =
  (...missing: number[]) =>
  (index: number) =>
    !missing.includes(index)

describe('gaps', () => {
  it('are absent where every bucket was measured', () => {
    expect(findGaps(buckets, domain, without(), later)).toEqual([])
  })

  it('span whole buckets, at the start, in the middle and at the end', () => {
    expect(findGaps(buckets, domain, without(0, 2, 3, 5), later)).toEqual([
      { from: 100_000, to: 110_000 },
      { from: 120_000, to: 140_000 },
      { from: 150_000, to: 160_000 },
    ])
  })

  it('are not drawn for windows that are still on their way', () => {
    expect(findGaps(buckets, domain, without(4, 5), 161_000)).toEqual([])
    expect(findGaps(buckets, domain, without(2, 3, 4, 5), 190_000)).toEqual([{ from: 120_000, to: 160_000 }])
  })

  it('cover the whole range when nothing was measured', () => {
    const gaps = findGaps(buckets, domain, () => false, later)
    expect(gaps).toEqual([domain])
    expect(gapSeconds(gaps)).toBe(60)
  })

  it('do not arise from a range that starts inside a bucket', () => {
    expect(findGaps(buckets, { from: 103_000, to: 157_000 }, without(), later)).toEqual([])
  })
})

it('puts a bucket at its middle', () => {
  expect(bucketMiddle(buckets, 1)).toBe(115_000)
})

it('finds the bucket that holds an instant, outside the nearest one', () => {
  expect(nearestBucket(buckets, 115_000)).toBe(1)
  expect(nearestBucket(buckets, 110_000)).toBe(1)
  expect(nearestBucket(buckets, 1_000)).toBe(0)
  expect(nearestBucket(buckets, 999_000)).toBe(5)
  expect(nearestBucket({ starts: [], stepSeconds: 10 }, 0)).toBeNull()
})
