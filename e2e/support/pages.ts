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
    events: `/events${RANGE}`,
    agents: `/agents${RANGE}`,
  }
}

/** Pages whose charts end at the newest window. */
export const TIMED_PAGES = [
  'overview',
  'containers',
  'container-waiting',
  'container-throttled',
  'events',
] as const
/** Tables, which look the same while the newest window is not old. */
export const TABLE_PAGES = ['hosts', 'neighbors', 'agents'] as const

/** Until its figures are there: no skeleton, charts drawn, fonts loaded. */
export async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  for (const figure of await page.getByRole('figure').all()) {
    await expect(figure.locator('canvas').first()).toBeVisible()
  }
  await page.evaluate(() => document.fonts.ready)
}

const FOLDER = 'output/screenshots'
const PHONE = { width: 390, height: 844 }

/** In light, in dark and on a phone, without a complaint in the console. */
export async function draw(page: Page, name: string, path: string): Promise<void> {
  const complaints = complaintsOf(page)
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.goto(path)
    await settled(page)
    await page.screenshot({ path: `${FOLDER}/${name}-${scheme}.png`, fullPage: true })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(PHONE)
  await page.goto(path)
  await settled(page)
  await page.screenshot({ path: `${FOLDER}/${name}-390.png`, fullPage: true })
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width, 'the page itself does not scroll sideways').toBeLessThanOrEqual(PHONE.width)
  expect(complaints).toEqual([])
}

/** Collects what a user's console would hold: errors of scripts, blocked resources, failed requests. */
function complaintsOf(page: Page): string[] {
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
