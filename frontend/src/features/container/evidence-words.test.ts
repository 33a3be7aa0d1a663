import { describe, expect, it } from 'vitest'
import { NOW, seriesAnswer, storySeries } from '@/test/container-fixtures'
import { readEvidence } from './evidence'
import {
  latencySummary,
  preemptionsSummary,
  quotaWords,
  throttlingLegend,
  throttlingNote,
  throttlingSummary,
  tooltipRows,
} from './evidence-words'

const read = (...args: Parameters<typeof storySeries>) => readEvidence(storySeries(...args), NOW)

describe('the words beside the charts', () => {
  it('tell no throttling from no quota and from not counted', () => {
    expect(throttlingNote(read())).toBe('no throttled period in range; quota 4.0 cores')
    expect(throttlingNote(read({ quota: null }))).toBe('no CPU quota of its own')
    const idle = seriesAnswer({ preempted_other_per_second: [0], throttled_ratio: [null], quota_cores: [2] })
    expect(throttlingNote(readEvidence(idle, NOW))).toBe('no quota period counted in range; quota 2.0 cores')
    expect(throttlingNote(read({ throttled: 0.6 }))).toBeUndefined()
    expect(throttlingNote(read({ missing: () => true }))).toBeUndefined()
  })

  it('name the quota, and both when it changed', () => {
    expect(quotaWords([null, 2, 2])).toBe('2.0 cores')
    expect(quotaWords([2, 4])).toBe('2.0 to 4.0 cores')
    expect(quotaWords([null])).toBe('none')
    expect(throttlingLegend(read({ throttled: 0.6 })).map(({ name }) => name)).toEqual([
      'throttled periods',
      'throttled time',
      'quota',
    ])
  })

  it('sum a chart up in one sentence with numbers', () => {
    const evidence = readEvidence(
      seriesAnswer({
        runq_p99_seconds: [0.000083, 0.131072],
        runq_p50_seconds: [0.00002, 0.0019],
        preempted_other_per_second: [0, 58.2],
        preempted_system_per_second: [3.1, 3.1],
        preempted_self_per_second: [4, 5],
        throttled_ratio: [0, 0.5],
        quota_cores: [4, 4],
      }),
      Date.parse('2026-11-18T10:17:40Z'),
    )
    expect(latencySummary(evidence)).toBe('P99 83 µs to 131 ms, last 131 ms; P50 20 µs to 1.9 ms.')
    expect(preemptionsSummary(evidence)).toBe(
      'Preempted by another container 0/s to 58.2/s, system 3.1/s, same container 4.0/s to 5.0/s.',
    )
    expect(throttlingSummary(evidence)).toBe('Throttled periods 0.0 % to 50.0 %; quota 4.0 cores.')
  })

  it('say for how long there was no data, and do not call it zero', () => {
    expect(latencySummary(read({ missing: (index) => index >= 138 }))).toContain('No data for 7 min.')
    expect(latencySummary(read({ missing: () => true }))).toContain('P99 not measured, last –')
  })

  it('list all charts at the crosshair, an en dash for the unknown', () => {
    const evidence = readEvidence(
      seriesAnswer({
        runq_p99_seconds: [0.131072],
        neighbor_wait_cores: [0.301],
        self_wait_cores: [0],
        preempted_other_per_second: [58.2],
        throttled_ratio: [null],
      }),
      NOW,
    )
    expect(tooltipRows(evidence, 0).map(({ name, value }) => `${name} ${value}`)).toEqual([
      'P99 wait 131 ms',
      'P50 wait –',
      'waited: neighbors 0.301 s/s',
      'preempted by another container 58.2/s',
      'preempted by system –',
      'preempted by own threads –',
      'throttled periods –',
      'throttled time –',
    ])
  })
})
