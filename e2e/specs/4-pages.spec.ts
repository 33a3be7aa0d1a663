import { complaintsOf, PAGE_NAMES, pages, settled } from '../support/pages'
import { control } from '../support/stack'
import { expect, test } from '../support/test'

const FOLDER = 'output/screenshots'
const PHONE = { width: 390, height: 844 }

test.beforeAll(async () => {
  // What it did stays in the range; the browser needs the CPU.
  if (process.env.NW_E2E_SKIP === undefined) await control('stop batch-encode')
})

for (const name of PAGE_NAMES) {
  test(`${name} is drawn in light, dark and on a phone, without a complaint`, async ({ page }) => {
    const complaints = complaintsOf(page)
    const path = (await pages())[name] ?? ''
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
  })
}

test('sign-in is drawn in light, dark and on a phone', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ baseURL, storageState: { cookies: [], origins: [] } })
  const page = await context.newPage()
  for (const [name, scheme, width] of [
    ['light', 'light', 1440],
    ['dark', 'dark', 1440],
    ['390', 'light', PHONE.width],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize({ ...PHONE, width })
    await page.goto('/sign-in')
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await page.screenshot({ path: `${FOLDER}/sign-in-${name}.png` })
  }
  await context.close()
})
