import { describe, expect, it } from 'vitest'
import type { ChartTheme } from '@/charts/chart-theme'
import type { Frame } from '@/charts/plot'
import { NOW, seriesAnswer, storySeries } from '@/test/container-fixtures'
import { readEvidence } from './evidence'
import { decades, latencyOption, logRange } from './latency-option'
import { preemptionsOption } from './preemptions-option'
import { throttlingOption } from './throttling-option'

const theme = new Proxy({} as ChartTheme, { get: (_, token) => `token:${String(token)}` })

function frameOf(evidence: ReturnType<typeof readEvidence>): Frame {
  return {
    theme,
    domain: evidence.domain,
    zone: 'utc',
    inset: { left: 54, right: 16 },
    ticks: 8,
    gaps: evidence.gaps,
  }
}

type Drawn = {
  name?: string
  data?: unknown[]
  color?: string
  lineStyle?: { width?: number; type?: unknown }
  markArea?: { data: unknown[] }
  connectNulls?: boolean
  smooth?: boolean
}

const series = (option: { series?: unknown }) => option.series as Drawn[]
const named = (option: { series?: unknown }, name: string) =>
  series(option).find((one) => one.name === name) as Drawn

describe('the latency chart', () => {
  it('draws P99 over P50 from the same measurements, in the colour of the one who waits', () => {
    const evidence = readEvidence(
      seriesAnswer({
        runq_p99_seconds: [0.000083, 0.131072],
        runq_p50_seconds: [0.00002, 0.0019],
        preempted_other_per_second: [0, 58],
      }),
      NOW,
    )
    const option = latencyOption(evidence, frameOf(evidence), 'log')
    const start = evidence.domain.from + 5_000
    expect(named(option, 'P99').data).toEqual([
      [start, 0.000083],
      [start + 10_000, 0.131072],
    ])
    expect(named(option, 'P50').data).toEqual([
      [start, 0.00002],
      [start + 10_000, 0.0019],
    ])
    expect(named(option, 'P99')).toMatchObject({ color: 'token:victim', lineStyle: { width: 2 } })
    expect(named(option, 'P50')).toMatchObject({ lineStyle: { width: 1.25, type: [4, 3] } })
  })

  it('breaks the line where nothing was measured and hatches the gap', () => {
    const evidence = readEvidence(storySeries({ missing: (index) => index >= 40 && index < 58 }), NOW)
    const option = latencyOption(evidence, frameOf(evidence), 'log')
    const p99 = named(option, 'P99')
    expect(p99).toMatchObject({ connectNulls: false, smooth: false })
    expect(p99.data?.[45]).toEqual([expect.any(Number), null])
    const from = evidence.domain.from + 400_000
    expect(series(option).at(-1)?.markArea?.data).toEqual([
      [{ name: 'no data', xAxis: from }, { xAxis: from + 180_000 }],
    ])
  })

  it('keeps 83 µs and 131 ms away from the edges and stretches by decades for what lies outside', () => {
    expect(logRange([0.000083, 0.131])).toEqual({ min: 1e-5, max: 0.4 })
    expect(logRange([])).toEqual({ min: 1e-5, max: 0.4 })
    expect(logRange([0.000002, 0.131]).min).toBe(1e-6)
    expect(logRange([0.9]).max).toBe(4)
    expect(logRange([17.18]).max).toBe(40)
    expect(decades(1e-5, 0.4)).toHaveLength(5)
    expect(decades(1e-6, 40).map((value) => Math.round(Math.log10(value)))).toEqual([
      -6, -5, -4, -3, -2, -1, 0, 1,
    ])
  })

  it('puts a wait below the log axis on its lowest line and leaves it alone on a linear one', () => {
    const evidence = readEvidence(
      seriesAnswer({ runq_p99_seconds: [0], runq_p50_seconds: [0], preempted_other_per_second: [0] }),
      NOW,
    )
    const first = (scale: 'log' | 'linear') =>
      named(latencyOption(evidence, frameOf(evidence), scale), 'P99').data?.[0]
    expect(first('log')).toEqual([expect.any(Number), 1e-6])
    expect(first('linear')).toEqual([expect.any(Number), 0])
  })
})

describe('the preemptions chart', () => {
  it('stacks the own part first and the harmful one on top', () => {
    const evidence = readEvidence(storySeries(), NOW)
    const option = preemptionsOption(evidence, frameOf(evidence))
    expect(
      series(option)
        .slice(0, 3)
        .map(({ name, color }) => [name, color]),
    ).toEqual([
      ['same container', 'token:self'],
      ['system', 'token:system'],
      ['another container', 'token:aggressor'],
    ])
  })
})

describe('the throttling chart', () => {
  it('shows the share of periods on a fixed scale and throttled time on its own', () => {
    const evidence = readEvidence(storySeries({ throttled: 0.6, quota: 0.2 }), NOW)
    const [share, time] = throttlingOption(evidence, frameOf(evidence)).yAxis as {
      max?: number
      show?: boolean
    }[]
    expect(share).toMatchObject({ min: 0, max: 1 })
    expect(time).toMatchObject({ show: true, position: 'right' })
  })

  it('has no second axis where no time was throttled', () => {
    const evidence = readEvidence(storySeries(), NOW)
    const [, time] = throttlingOption(evidence, frameOf(evidence)).yAxis as { show?: boolean }[]
    expect(time?.show).toBe(false)
  })
})

it('shares grid, time axis and gaps between all three, so that one x is one time', () => {
  const evidence = readEvidence(storySeries({ throttled: 0.6 }), NOW)
  const frame = frameOf(evidence)
  const options = [
    latencyOption(evidence, frame, 'log'),
    preemptionsOption(evidence, frame),
    throttlingOption(evidence, frame),
  ]
  for (const option of options) {
    expect(option.grid).toMatchObject({ left: 54, right: 16, outerBoundsMode: 'none' })
    expect(option.xAxis).toMatchObject({
      min: evidence.domain.from,
      max: evidence.domain.to,
      containShape: false,
    })
    expect(option.animation).toBe(false)
  }
})
