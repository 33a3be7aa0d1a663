import { type Container, containerNamed, type Neighbor, read, windowsOf } from '../support/api'
import { measure, ratioOf } from '../support/figures'
import { cpuStatEdges, type Edge, WINDOW_MS } from '../support/stack'
import { expect, test } from '../support/test'

/** Of 100 ms. The agent and we read at each edge of the span, but not in the same instant. */
const PERIODS_OFF = 4
const RATIO_OFF = 0.01

/** What may run beside it on its CPU for a moment, of all that it waited. */
const NEIGHBOR_SHARE = 0.01

type Part = { cause: string; seconds: number; wait_ratio: number }
type Answer = {
  container: Container
  ledger: { parts: Part[] }
  aggressors: { kind: string; wait_ratio: number }[]
}

/** The longest span between two readings whose windows are all stored. */
async function storedSpan(id: string): Promise<{ first: Edge; last: Edge }> {
  const stored = new Set(await windowsOf(id))
  const edges = (await cpuStatEdges('thumbnailer')).slice(1)
  const first = edges[0]
  const last = edges.findLast((edge) => stored.has(edge.at_ms - WINDOW_MS))
  if (first === undefined || last === undefined) throw new Error('nothing was read at the edges')
  return { first, last }
}

test.describe
  .serial('a container at the limit of its own quota', () => {
    let id: string

    test('shows the share of throttled periods that cpu.stat has', async ({ page }) => {
      id = (await containerNamed('thumbnailer'))?.id ?? ''
      const { first, last } = await storedSpan(id)
      const span = `from=${first.at_ms}&to=${last.at_ms}`
      const periods = last.nr_periods - first.nr_periods
      const throttled = last.nr_throttled - first.nr_throttled
      expect(last.at_ms - first.at_ms).toBeGreaterThanOrEqual(3 * WINDOW_MS)
      expect(throttled / periods, 'the workload runs into its quota').toBeGreaterThan(0.5)

      const { container } = await read<Answer>(`/containers/${id}?${span}`)
      expect(Math.abs((container.nr_periods ?? 0) - periods)).toBeLessThanOrEqual(PERIODS_OFF)
      expect(Math.abs((container.nr_throttled ?? 0) - throttled)).toBeLessThanOrEqual(PERIODS_OFF)
      expect(Math.abs((container.throttled_ratio ?? 0) - throttled / periods)).toBeLessThanOrEqual(RATIO_OFF)

      await page.goto(`/containers/${id}?${span}`)
      const { value, detail } = measure(page, 'Throttled by own quota')
      await expect(detail).toContainText(/\d+ of [\d,]+ periods/)
      expect(Math.abs(ratioOf(await value.textContent()) - throttled / periods)).toBeLessThanOrEqual(
        RATIO_OFF,
      )
      await expect(page.getByRole('figure', { name: 'Throttling' })).toBeVisible()
    })

    test("is not listed as a neighbor's victim", async ({ page }) => {
      const { items } = await read<{ items: Neighbor[] }>('/neighbors?from=now-15m')
      expect(items.length).toBeGreaterThan(0)
      expect(items.flatMap((item) => item.top_victims.map((victim) => victim.name))).not.toContain(
        'thumbnailer',
      )
      const { ledger, aggressors } = await read<Answer>(`/containers/${id}?from=now-15m`)
      const part = (cause: string) =>
        ledger.parts.find((one) => one.cause === cause)?.wait_ratio ?? Number.NaN
      expect(part('throttled_own'), 'its own quota is what it waited for').toBeGreaterThan(0.5)
      expect(part('throttled_ancestor')).toBe(0)
      expect(part('neighbor')).toBeLessThanOrEqual(NEIGHBOR_SHARE)
      for (const row of aggressors.filter(({ kind }) => kind === 'container')) {
        expect(row.wait_ratio).toBeLessThanOrEqual(NEIGHBOR_SHARE)
      }

      await page.goto('/neighbors?from=now-15m')
      const rows = page.getByRole('table', { name: 'Neighbors' }).getByRole('row')
      await expect(rows.filter({ hasText: 'batch-encode' }).first()).toBeVisible()
      for (const { name } of items) {
        await expect(rows.filter({ has: page.getByRole('link', { name, exact: true }) })).not.toContainText([
          'thumbnailer',
        ])
      }
    })
  })
