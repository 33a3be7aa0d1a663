import { draw, pages, TIMED_PAGES } from '../support/pages'
import { control } from '../support/stack'
import { test } from '../support/test'

test.beforeAll(async () => {
  // What it did stays in the range; the browser needs the CPU.
  if (process.env.NW_E2E_SKIP === undefined) await control('stop batch-encode')
})

for (const name of TIMED_PAGES) {
  test(`${name} is drawn in light, dark and on a phone, without a complaint`, async ({ page }) => {
    await draw(page, name, (await pages())[name] ?? '')
  })
}
