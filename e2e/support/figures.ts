import type { Locator, Page } from '@playwright/test'

/** The line of a container's figures with this name: its number and what stands below. */
export function measure(page: Page, name: string): { value: Locator; detail: Locator } {
  const line = page.locator('dl > div').filter({ has: page.getByRole('term').filter({ hasText: name }) })
  return { value: line.getByRole('definition').nth(0), detail: line.getByRole('definition').nth(1) }
}

const SECONDS = { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 } as const

/** "29.4 ms" as the page prints it, in seconds. */
export function secondsOf(text: string | null): number {
  const match = /^(?:≥ )?([\d.]+)\s(ns|µs|ms|s)$/.exec(text?.trim() ?? '')
  if (match === null) throw new Error(`no latency: '${text}'`)
  return Number(match[1]) * SECONDS[match[2] as keyof typeof SECONDS]
}

/** "97.3 %" as a ratio. */
export function ratioOf(text: string | null): number {
  const match = /^([\d.]+)\s%$/.exec(text?.trim() ?? '')
  if (match === null) throw new Error(`no percentage: '${text}'`)
  return Number(match[1]) / 100
}
