import { expect, it } from 'vitest'
import { nearestBucket } from './shared-tooltip'

const buckets = { starts: [100, 110, 120], stepSeconds: 10 }

it('takes the bucket that holds the instant, the nearest one outside', () => {
  expect(nearestBucket(buckets, 115_000)).toBe(1)
  expect(nearestBucket(buckets, 110_000)).toBe(1)
  expect(nearestBucket(buckets, 1_000)).toBe(0)
  expect(nearestBucket(buckets, 999_000)).toBe(2)
  expect(nearestBucket({ starts: [], stepSeconds: 10 }, 0)).toBeNull()
})
