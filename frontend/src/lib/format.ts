/** Numbers as the pages print them: a space before the unit, commas in thousands, an en dash for "no value". */
export const NO_VALUE = '–'

export type Quantity = { value: string; unit: string }

type Maybe = number | null | undefined

const missing: Quantity = { value: NO_VALUE, unit: '' }

function known(value: Maybe): value is number {
  return value !== null && value !== undefined && Number.isFinite(value)
}

export function join(quantity: Quantity): string {
  return quantity.unit === '' ? quantity.value : `${quantity.value} ${quantity.unit}`
}

/** Groups thousands; keeps the given number of decimals. */
export function decimal(value: Maybe, digits = 0): string {
  if (!known(value)) return NO_VALUE
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export function count(value: Maybe): string {
  return decimal(value, 0)
}

/** Three significant digits at most, and no trailing zeros: 83, 1.9, 131, 0.042. */
export function significant(value: Maybe, digits = 3): string {
  if (!known(value)) return NO_VALUE
  if (value === 0) return '0'
  if (Math.abs(value) >= 10 ** digits) return decimal(Math.round(value), 0)
  return String(Number(value.toPrecision(digits)))
}

const LATENCY_STEPS = [
  { below: 1e-6, scale: 1e9, unit: 'ns' },
  { below: 1e-3, scale: 1e6, unit: 'µs' },
  { below: 1, scale: 1e3, unit: 'ms' },
  { below: Number.POSITIVE_INFINITY, scale: 1, unit: 's' },
] as const

/** The last histogram slot is open: the API marks a percentile in it by this figure, and it says only "at least 15.03 s". */
export const LATENCY_OPEN_SECONDS = 17.179869184

export function latencyQuantity(seconds: Maybe): Quantity {
  if (!known(seconds)) return missing
  if (seconds === 0) return { value: '0', unit: 'µs' }
  if (seconds >= LATENCY_OPEN_SECONDS) return { value: '≥ 15', unit: 's' }
  const step = LATENCY_STEPS.find((candidate) => Math.abs(seconds) < candidate.below * 0.9995)
  if (step === undefined) return { value: significant(seconds), unit: 's' }
  return { value: significant(seconds * step.scale), unit: step.unit }
}

export function latency(seconds: Maybe): string {
  return join(latencyQuantity(seconds))
}

/** A ratio as percent with one decimal, so that a column lines up; a little is not nothing. */
export function percent(ratio: Maybe, digits = 1): string {
  if (!known(ratio)) return NO_VALUE
  const least = 10 ** -digits
  if (ratio > 0 && ratio * 100 < least / 2) return `< ${decimal(least, digits)} %`
  return `${decimal(ratio * 100, digits)} %`
}

/** Decimals by size: a column of rates stays readable from 0.04/s to 41,200/s. */
export function rateQuantity(perSecond: Maybe): Quantity {
  if (!known(perSecond)) return missing
  const size = Math.abs(perSecond)
  let digits = 0
  if (size !== 0 && size < 0.1) digits = 2
  else if (size !== 0 && size < 100) digits = 1
  return { value: decimal(perSecond, digits), unit: '/s' }
}

export function rate(perSecond: Maybe): string {
  const { value, unit } = rateQuantity(perSecond)
  return value + unit
}

/** A rate in a column whose head has the unit: one decimal for all, and a little is not nothing. */
export function perSecond(value: Maybe): string {
  if (known(value) && value > 0 && value < 0.05) return '< 0.1'
  return decimal(value, 1)
}

/** CPU time lost per second as CPU-s per hour: the ranking's unit, for people. */
export function stolenPerHour(cores: Maybe): string {
  return known(cores) ? `${cpuSeconds(cores * 3600)} CPU-s/h` : NO_VALUE
}

/** CPU seconds carry one decimal in every table. */
export function cpuSeconds(seconds: Maybe): string {
  return decimal(seconds, 1)
}

export function cores(value: Maybe): string {
  if (known(value) && value > 0 && value < 0.005) return '< 0.01'
  return decimal(value, known(value) && Math.abs(value) < 0.1 && value !== 0 ? 2 : 1)
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

export function bytes(value: Maybe): string {
  if (!known(value)) return NO_VALUE
  let scaled = value
  let unit = 0
  while (Math.abs(scaled) >= 1024 && unit < BYTE_UNITS.length - 1) {
    scaled /= 1024
    unit += 1
  }
  return `${significant(scaled)} ${BYTE_UNITS[unit]}`
}

const SPANS = [
  { seconds: 86_400, unit: 'd' },
  { seconds: 3_600, unit: 'h' },
  { seconds: 60, unit: 'min' },
  { seconds: 1, unit: 's' },
] as const

/** The two largest parts: 3 h 10 min, 12 min, 4 s. */
export function duration(seconds: Maybe): string {
  if (!known(seconds)) return NO_VALUE
  let rest = Math.round(Math.abs(seconds))
  if (rest === 0) return '0 s'
  const parts: string[] = []
  for (const span of SPANS) {
    const whole = Math.floor(rest / span.seconds)
    rest -= whole * span.seconds
    if (whole > 0) parts.push(`${whole} ${span.unit}`)
    if (parts.length === 2 || (parts.length === 1 && span.seconds <= 60)) break
  }
  return parts.join(' ')
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`
}
