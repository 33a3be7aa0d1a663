import { describe, expect, it } from 'vitest'
import type { HostTile } from './overview-query'
import { byFamily, isSilent, stepOf, topOf, worst } from './tiles'

const tile = (
  name: string,
  family: string | null,
  value: number | null,
  state: HostTile['state'] = 'live',
): HostTile => ({
  host_id: name,
  name,
  instance_family: family,
  value: 0,
  neighbor_wait_cores: value,
  state,
})

describe('host tiles', () => {
  it('stand by family, the largest first, and keep their order within', () => {
    const families = byFamily([tile('c', 'm7a', 1), tile('a', 'r5', 2), tile('b', 'r5', 0)])
    expect(families.map((family) => family.name)).toEqual(['r5', 'm7a'])
    expect(families[0]?.tiles.map((one) => one.name)).toEqual(['a', 'b'])
  })

  it('use the lowest step for zero and the highest for the top', () => {
    expect(stepOf(0, 6.538)).toBe(1)
    expect(stepOf(6.538, 6.538)).toBe(6)
    expect(stepOf(2.17, 6.538)).toBe(5)
    expect(stepOf(0.0001, 6.538)).toBe(1)
  })

  it('stay pale on a calm fleet', () => {
    const calm = [tile('a', 'r5', 0.0002), tile('b', 'r5', 0.00005)]
    expect(stepOf(0.0002, topOf(calm))).toBeLessThanOrEqual(3)
  })

  it('are silent without a value, whatever the state says', () => {
    expect(isSilent(tile('a', 'r5', null))).toBe(true)
    expect(isSilent(tile('a', 'r5', 4, 'stale'))).toBe(true)
    expect(isSilent(tile('a', 'r5', 0))).toBe(false)
  })

  it('name the worst host, and none when nobody waits for a neighbor', () => {
    expect(worst([tile('a', 'r5', 3), tile('b', 'r5', 9)])?.name).toBe('b')
    expect(worst([tile('a', 'r5', 0)])).toBeNull()
  })
})
