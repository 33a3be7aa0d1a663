import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

/** Debian's browser: nothing is downloaded. Another one by NW_E2E_BROWSER. */
const browser = process.env.NW_E2E_BROWSER ?? '/usr/bin/chromium'
if (!existsSync(browser)) {
  throw new Error(`${browser} is missing: apt-get install chromium, or set NW_E2E_BROWSER to a Chromium`)
}

export default defineConfig({
  testDir: 'specs',
  outputDir: 'output/failures',
  globalSetup: './support/global-setup.ts',
  // One stack for all, and the files tell one story in the order of their names.
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  timeout: 60_000,
  globalTimeout: 600_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    contextOptions: { reducedMotion: 'reduce' },
    locale: 'en-US',
    timezoneId: 'UTC',
    // A trace of every test costs a fifth of the time; `npm test -- --trace on` makes them.
    screenshot: 'only-on-failure',
    // Chromium refuses to start its sandbox as root.
    launchOptions: { executablePath: browser, args: ['--no-sandbox'] },
  },
})
