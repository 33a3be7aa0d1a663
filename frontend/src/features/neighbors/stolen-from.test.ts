import { expect, it } from 'vitest'
import { victimShares } from './stolen-from'

const victim = (name: string, share_ratio: number) => ({
  id: name,
  name,
  share_ratio,
  stolen_cpu_seconds: 1,
  preemptions: 1,
})

it('adds all others as the last part, so that the bar is a whole', () => {
  const parts = victimShares([victim('a', 0.5), victim('b', 0.2)])
  expect(parts.map(({ name }) => name)).toEqual(['a', 'b', 'others'])
  expect(parts.reduce((sum, { ratio }) => sum + ratio, 0)).toBeCloseTo(1)
})

it('takes rounding for what it is', () => {
  expect(victimShares([victim('a', 0.667), victim('b', 0.332)]).map(({ name }) => name)).toEqual(['a', 'b'])
})
