import { ask } from '../support/api'
import { stack } from '../support/stack'
import { expect, test } from '../support/test'

test.use({ storageState: { cookies: [], origins: [] } })

const PAGES = ['/', '/containers', '/containers/1-0000000000000001', '/hosts', '/neighbors', '/agents']
const ROUTES = ['/overview', '/hosts', '/hosts/1', '/containers', '/neighbors', '/agents', '/session']

test('without a session every page leads to sign-in', async ({ page }) => {
  for (const path of PAGES) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    expect(new URL(page.url()).pathname).toBe('/sign-in')
  }
})

test('the printed link signs in, once', async ({ page, browser }) => {
  const { sign_in_link: link, url } = stack()
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  expect(page.url()).toBe(`${url}/`)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()

  const somebodyElse = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const second = await somebodyElse.newPage()
  await second.goto(link)
  await expect(second.getByRole('alert')).toBeVisible()
  await expect(second.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await second.goto(`${url}/hosts`)
  await expect(second.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await somebodyElse.close()
})

test('the API answers 401 with a problem document to who has no credentials or wrong ones', async () => {
  for (const route of ROUTES) {
    for (const token of [null, 'nwt_wrong', `nwh_${'A'.repeat(43)}`]) {
      const response = await ask(`/api/v1${route}`, token)
      expect(response.status, `${route} with ${token}`).toBe(401)
      expect(response.headers.get('content-type')).toContain('application/problem+json')
      const problem = (await response.json()) as Record<string, unknown>
      expect(problem).toMatchObject({ status: 401, request_id: expect.stringMatching(/./) })
    }
  }
})

test('who watches the backend itself needs no session, who reads its figures does', async () => {
  expect((await ask('/healthz', null)).status).toBe(200)
  expect((await ask('/readyz', null)).status).toBe(200)
  expect((await ask('/api/v1/hosts')).status).toBe(200)
})
