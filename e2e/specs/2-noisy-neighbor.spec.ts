import type { Page } from '@playwright/test'
import { type Container, containerNamed, type Neighbor, read, windowsOf } from '../support/api'
import { measure, secondsOf } from '../support/figures'
import { control, WINDOW_MS } from '../support/stack'
import { expect, test } from '../support/test'

const WINDOWS_ALONE = 3
const WINDOWS_TOGETHER = 2
/** 5 to 30 on a machine at rest; what else runs on a busy one makes the victim wait before the hog does. */
const AT_LEAST_TIMES = 1.5
const AT_LEAST_SECONDS = 0.008
const STORED = { timeout: 75_000, intervals: [1000] }

type Span = { from: number; to: number }

const query = ({ from, to }: Span) => `from=${from}&to=${to}`

async function p99InApi(id: string, span: Span): Promise<number> {
  const { container } = await read<{ container: Container }>(`/containers/${id}?${query(span)}`)
  return container.runq_p99_seconds ?? Number.NaN
}

async function p99OnPage(page: Page, id: string, span: Span): Promise<number> {
  await page.goto(`/containers/${id}?${query(span)}`)
  const { value } = measure(page, 'Run queue latency P99')
  await expect(value).toHaveText(/\d/)
  return secondsOf(await value.textContent())
}

test.describe
  .serial('a hog beside a latency-sensitive container', () => {
    test.setTimeout(180_000)
    let victim: string
    let alone: Span
    let together: Span

    test("the victim's P99 rises on its page as in the API", async ({ page }) => {
      await expect.poll(async () => (await containerNamed('checkout-api'))?.id, STORED).toBeDefined()
      victim = (await containerNamed('checkout-api'))?.id ?? ''
      // The first window may hold the start of it.
      await expect.poll(async () => (await windowsOf(victim)).length, STORED).toBeGreaterThan(WINDOWS_ALONE)
      const [, first = Number.NaN] = await windowsOf(victim)

      await control('start batch-encode')
      const edge = Math.ceil(Date.now() / WINDOW_MS) * WINDOW_MS
      alone = { from: first, to: edge - WINDOW_MS }
      together = { from: edge, to: edge + WINDOWS_TOGETHER * WINDOW_MS }
      const stored = async () => (await windowsOf(victim)).filter((start) => start >= edge).length
      await expect.poll(stored, STORED).toBeGreaterThanOrEqual(WINDOWS_TOGETHER)

      const before = await p99InApi(victim, alone)
      const during = await p99InApi(victim, together)
      test
        .info()
        .annotations.push({ type: 'P99', description: `${before} s alone, ${during} s with the hog` })
      expect(during).toBeGreaterThanOrEqual(AT_LEAST_SECONDS)
      expect(during).toBeGreaterThanOrEqual(AT_LEAST_TIMES * before)
      expect(await p99OnPage(page, victim, alone)).toBeCloseTo(before, 3)
      expect(await p99OnPage(page, victim, together)).toBeCloseTo(during, 3)
    })

    test("the victim's page names the hog first of those that ran while it waited", async ({ page }) => {
      await page.goto(`/containers/${victim}?from=now-15m`)
      const table = page.getByRole('table', { name: 'Who ran while it waited' })
      const others = table.getByRole('row').filter({ hasText: 'container' })
      // Pairs of victim and aggressor are merged over a minute.
      await expect(async () => {
        await page.reload()
        await expect(others.nth(0)).toContainText('batch-encode', { timeout: 3000 })
      }).toPass(STORED)
      await expect(page.getByRole('img', { name: /^Demand: ran .*neighbors/ })).toBeVisible()
      await expect(page.getByRole('figure', { name: 'Waited, by cause' })).toBeVisible()
    })

    test('the hog heads the ranking on the page as in the API', async ({ page }) => {
      const ranking = async () => (await read<{ items: Neighbor[] }>('/neighbors?from=now-15m')).items
      await expect.poll(async () => (await ranking())[0]?.name, STORED).toBe('batch-encode')
      const [worst] = await ranking()
      expect(worst).toMatchObject({ rank: 1, kind: 'container' })
      expect(worst?.top_victims[0]?.name).toBe('checkout-api')

      await page.goto('/neighbors?from=now-15m')
      const firstRow = page.getByRole('table', { name: 'Neighbors' }).getByRole('row').nth(1)
      await expect(firstRow.getByRole('link', { name: 'batch-encode' })).toBeVisible()
      await expect(firstRow).toContainText('checkout-api')
    })
  })
