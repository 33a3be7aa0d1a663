import { describe, expect, it } from 'vitest'
import { timeTicks } from './time-ticks'

const at = (text: string) => Date.parse(`2026-11-18T${text}Z`)

describe('ticks of the time axis', () => {
  it('stand on round minutes inside the range', () => {
    const ticks = timeTicks({ from: at('10:17:10'), to: at('10:47:10') }, 'utc', 8)
    expect(ticks.values.map(ticks.label)).toEqual(['10:20', '10:25', '10:30', '10:35', '10:40', '10:45'])
  })

  it('show seconds only where minutes would repeat', () => {
    const ticks = timeTicks({ from: at('10:35:00'), to: at('10:36:30') }, 'utc', 8)
    expect(ticks.values.map(ticks.label)).toContain('10:35:15')
  })

  it('name the day where a day begins', () => {
    const ticks = timeTicks({ from: at('20:00:00'), to: at('20:00:00') + 8 * 3_600_000 }, 'utc', 8)
    expect(ticks.values.map(ticks.label)).toEqual([
      '20:00',
      '21:00',
      '22:00',
      '23:00',
      '19 Nov',
      '01:00',
      '02:00',
      '03:00',
    ])
  })

  it('leave out a label that the right edge would cut', () => {
    const to = at('10:45:00')
    const ticks = timeTicks({ from: at('10:15:00'), to }, 'utc', 8)
    expect(ticks.values).not.toContain(to)
    expect(ticks.values).toContain(at('10:40:00'))
  })

  it('are at most as many as asked for, up to 31 days', () => {
    for (const days of [0.01, 0.3, 1, 3, 7, 31]) {
      const to = at('10:00:00') + days * 86_400_000
      expect(timeTicks({ from: at('10:00:00'), to }, 'utc', 4).values.length).toBeLessThanOrEqual(5)
    }
  })
})
