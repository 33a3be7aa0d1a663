import { ask, containerNamed, read } from '../support/api'
import { draw, expectAccessible, pages, settled, TABLE_PAGES, TIMED_PAGES } from '../support/pages'
import { control } from '../support/stack'
import { expect, test } from '../support/test'

/** Silence counts from 2 min after the newest window, and pages ask again after some seconds. */
const STALE_WITHIN_MS = 135_000

let silentSince: number

test.beforeAll(async () => {
  if (process.env.NW_E2E_SKIP !== undefined) return
  await control('stop-agent')
  silentSince = Date.now()
})

// While the silence grows, which has to take its time: what does not depend on the newest window.
for (const name of TABLE_PAGES) {
  test(`${name} is drawn in light, dark and on a phone, without a complaint`, async ({ page }) => {
    await draw(page, name, (await pages())[name] ?? '')
  })
}

test.describe('without a session', () => {
  test.use({ storageState: { cookies: [], origins: [] } })

  test('sign-in is drawn in light, dark and on a phone', async ({ page }) => {
    await draw(page, 'sign-in', '/sign-in')
  })
})

for (const scheme of ['light', 'dark'] as const) {
  for (const name of [...TIMED_PAGES, ...TABLE_PAGES]) {
    test(`${name} in ${scheme} holds to WCAG 2.2 AA`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: scheme })
      await page.goto((await pages())[name] ?? '')
      await settled(page)
      await expectAccessible(page)
    })
  }

  test(`sign-in in ${scheme} holds to WCAG 2.2 AA`, async ({ browser, baseURL }) => {
    const context = await browser.newContext({ baseURL, colorScheme: scheme, storageState: undefined })
    const page = await context.newPage()
    await page.goto('/sign-in')
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await expectAccessible(page)
    await context.close()
  })

  test(`the dialogs in ${scheme} hold to WCAG 2.2 AA`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme })
    await page.goto('/hosts')
    await settled(page)
    for (const [key, name] of [
      ['ControlOrMeta+k', 'Find a host or container'],
      ['?', 'Keys'],
    ] as const) {
      await page.keyboard.press(key)
      await expect(page.getByRole('dialog', { name })).toBeVisible()
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
  })
}

test('an agent that stopped is shown as stale in time, and its figures as old', async ({ page }) => {
  test.setTimeout(STALE_WITHIN_MS + 60_000)
  await page.goto('/hosts')
  const left = silentSince + STALE_WITHIN_MS - Date.now()
  await expect(page.getByRole('table').getByText(/^Stale/)).toBeVisible({ timeout: Math.max(left, 1000) })
  await expect(page.getByRole('status').filter({ hasText: 'silent for more than 2 min' })).toBeVisible()

  const { items } = await read<{ items: { state: string }[] }>('/hosts')
  expect(items.map((host) => host.state)).toEqual(['stale'])
  const victim = await containerNamed('checkout-api')
  await page.goto(`/containers/${victim?.id}`)
  await expect(page.getByRole('main').getByText(/^Stale/)).toBeVisible()
  await page.goto('/agents')
  await expect(page.getByRole('table').getByText(/^Stale/)).toBeVisible()
  expect((await ask('/readyz', null)).status, 'the backend itself is well').toBe(200)
})
