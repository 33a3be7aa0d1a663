import { describe, expect, it } from 'vitest'
import { containerDetail } from '@/test/container-fixtures'
import { measureLines } from './measures-card'

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

  it('tell the P99 that is left without throttling only where a quota held it back', () => {
    expect(line('Run queue latency P99')?.detail).toBe('P50 1.9 ms, longest 242 ms')
    expect(line('Run queue latency P99', { runq_unthrottled_p99_seconds: 0.0049 })?.detail).toBe(
      'P50 1.9 ms, longest 242 ms, P99 without throttling 4.9 ms',
    )
  })
})
