import { describe, expect, it } from 'vitest'
import { containerDetail } from '@/test/container-fixtures'
import { demandParts, heldBack, measureLines } from './measures-card'

const line = (name: string, over: Parameters<typeof containerDetail>[0] = {}) =>
  measureLines(containerDetail(over)).find((one) => one.name === name)

describe('the figures of a container', () => {
  it('carry the count they are a share of', () => {
    expect(
      line('Throttled by own quota', {
        nr_periods: 18_000,
        nr_throttled: 7_560,
        throttled_ratio: 0.42,
        throttled_seconds: 812.4,
      }),
    ).toMatchObject({
      value: '42.0 %',
      detail: '7,560 of 18,000 periods, 812.4 s',
    })
  })

  it('tell no quota from not measured', () => {
    const none = { throttled_ratio: null, nr_periods: null, nr_throttled: null }
    expect(line('Throttled by own quota', { ...none, quota_cores: null })?.detail).toBe(
      'no CPU quota of its own',
    )
    expect(line('Throttled by own quota', none)?.detail).toBe('not measured in this range')
  })

  it('mention an ancestor only where one has a quota', () => {
    expect(line('Throttled by an ancestor')).toBeUndefined()
    expect(
      line('Throttled by an ancestor', { ancestor_throttled_ratio: 0.031, ancestor_throttled_seconds: 18.2 }),
    ).toMatchObject({ value: '3.1 %', detail: 'quota of a cgroup above it, 18.2 s' })
  })

  it('say that the wait holds what a quota held back, whose quota ever it was', () => {
    expect(heldBack(containerDetail({ throttled_seconds: 0, ancestor_throttled_seconds: null }))).toBeNull()
    expect(heldBack(containerDetail({ throttled_seconds: 12.5 }))).toContain('its own quota')
    expect(heldBack(containerDetail({ throttled_seconds: 0, ancestor_throttled_seconds: 3 }))).toContain(
      'an ancestor',
    )
  })

  it('split demand into what ran and what waited, and into nothing when neither is known', () => {
    expect(demandParts(containerDetail()).map(({ name, text }) => `${name} ${text}`)).toEqual([
      'ran 1,023.0 CPU-s',
      'waited 477.0 CPU-s, 31.8 %',
    ])
    expect(demandParts(containerDetail({ ran_seconds: null }))).toEqual([])
  })
})
