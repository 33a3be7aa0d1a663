import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { containerNamed } from './api'
import { expect } from './test'

export const RANGE = '?from=now-5m&to=now'

/** Every page that one can go to, by the name of its screenshots. */
export async function pages(): Promise<Record<string, string>> {
  const victim = await containerNamed('checkout-api')
  const throttled = await containerNamed('thumbnailer')
  return {
    overview: `/${RANGE}`,
    containers: `/containers${RANGE}`,
    'container-waiting': `/containers/${victim?.id}${RANGE}`,
    'container-throttled': `/containers/${throttled?.id}${RANGE}`,
    hosts: `/hosts${RANGE}`,
    neighbors: `/neighbors${RANGE}`,
    agents: `/agents${RANGE}`,
  }
}

export const PAGE_NAMES = [
  'overview',
  'containers',
  'container-waiting',
  'container-throttled',
  'hosts',
  'neighbors',
  'agents',
] as const

/** Until its figures are there: no skeleton, charts drawn, fonts loaded. */
export async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  for (const figure of await page.getByRole('figure').all()) {
    await expect(figure.locator('canvas').first()).toBeVisible()
  }
  await page.evaluate(() => document.fonts.ready)
}

/** Collects what a user's console would hold: errors of scripts, blocked resources, failed requests. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return complaints
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(WCAG).analyze()
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.target.join(' ')}: ${node.failureSummary}`),
  )
  expect(found).toEqual([])
}
