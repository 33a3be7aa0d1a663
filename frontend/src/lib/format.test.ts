import { describe, expect, it } from 'vitest'
import {
  bytes,
  cores,
  count,
  cpuSeconds,
  decimal,
  duration,
  latency,
  percent,
  perSecond,
  plural,
  rate,
  significant,
} from './format'

describe('latency', () => {
  it.each([
    [83e-6, '83 µs'],
    [0.0019, '1.9 ms'],
    [0.131072, '131 ms'],
    [0.000001, '1 µs'],
    [2.5e-7, '250 ns'],
    [1.048576, '1.05 s'],
    [0.00099999, '1 ms'],
    [0, '0 µs'],
  ])('prints %s s as %s', (seconds, text) => {
    expect(latency(seconds)).toBe(text)
  })

  it('says "at least" for the open last slot', () => {
    expect(latency(17.179869184)).toBe('≥ 15 s')
    expect(latency(15.032385536)).toBe('15 s')
  })

  it('prints an en dash for what was not measured, never 0', () => {
    expect(latency(null)).toBe('–')
    expect(latency(undefined)).toBe('–')
    expect(latency(Number.NaN)).toBe('–')
  })
})

describe('numbers', () => {
  it('separates thousands with commas', () => {
    expect(count(41200)).toBe('41,200')
    expect(decimal(6748.04, 1)).toBe('6,748.0')
  })

  it('keeps three significant digits without trailing zeros', () => {
    expect(significant(0.04239)).toBe('0.0424')
    expect(significant(12.0)).toBe('12')
    expect(significant(123456)).toBe('123,456')
  })

  it('keeps one decimal for percent and CPU seconds', () => {
    expect(percent(0.3182)).toBe('31.8 %')
    expect(percent(0)).toBe('0.0 %')
    expect(percent(0.0004)).toBe('< 0.1 %')
    expect(percent(0.0005)).toBe('0.1 %')
    expect(percent(0.004, 0)).toBe('< 1 %')
    expect(percent(null)).toBe('–')
    expect(cpuSeconds(653.84)).toBe('653.8')
  })

  it('scales rates by decimals, not by unit', () => {
    expect(rate(0.0421)).toBe('0.04/s')
    expect(rate(7.31)).toBe('7.3/s')
    expect(rate(41200.4)).toBe('41,200/s')
    expect(rate(0)).toBe('0/s')
    expect(rate(null)).toBe('–')
  })

  it('keeps one decimal in a column of rates, and a little apart from nothing', () => {
    expect(perSecond(653.84)).toBe('653.8')
    expect(perSecond(0.04)).toBe('< 0.1')
    expect(perSecond(0)).toBe('0.0')
    expect(perSecond(null)).toBe('–')
  })

  it('shows small shares of a core', () => {
    expect(cores(0.042)).toBe('0.04')
    expect(cores(0.001)).toBe('< 0.01')
    expect(cores(0)).toBe('0.0')
    expect(cores(102.44)).toBe('102.4')
  })

  it('uses binary units for memory', () => {
    expect(bytes(16_777_216)).toBe('16 MiB')
    expect(bytes(0)).toBe('0 B')
    expect(bytes(null)).toBe('–')
  })
})

describe('duration', () => {
  it.each([
    [4, '4 s'],
    [0, '0 s'],
    [732, '12 min'],
    [11_400, '3 h 10 min'],
    [90_000, '1 d 1 h'],
    [3_600, '1 h'],
  ])('prints %s s as %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text)
  })
})

it('counts with the right noun', () => {
  expect(plural(1, 'host')).toBe('1 host')
  expect(plural(9214, 'container')).toBe('9,214 containers')
})
