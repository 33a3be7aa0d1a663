import { test as base, expect, request } from '@playwright/test'
import { control, stack } from './stack'

type State = { cookies: []; origins: [] } | Awaited<ReturnType<typeof signedIn>>

/** Signs in as a person does, by a link that works once, and keeps what the browser would keep. */
async function signedIn() {
  const { link } = await control<{ link: string }>('sign-in-link')
  const context = await request.newContext({ baseURL: stack().url })
  const token = new URL(link).hash.replace('#token=', '')
  const answer = await context.post('/api/v1/session', { data: { link_token: token } })
  expect(answer.status()).toBe(201)
  const state = await context.storageState()
  await context.dispose()
  return state
}

export const test = base.extend<{ skipped: undefined }, { session: State }>({
  skipped: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from the pattern
    async ({}, use, info) => {
      const reason = process.env.NW_E2E_SKIP
      info.skip(reason !== undefined, reason)
      await use(undefined)
    },
    { auto: true },
  ],
  session: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      const skipped = process.env.NW_E2E_SKIP !== undefined
      await use(skipped ? { cookies: [], origins: [] } : await signedIn())
    },
    { scope: 'worker' },
  ],
  storageState: async ({ session }, use) => use(session),
  // biome-ignore lint/correctness/noEmptyPattern: as above
  baseURL: async ({}, use) => use(process.env.NW_E2E_SKIP === undefined ? stack().url : undefined),
})

export { expect }
