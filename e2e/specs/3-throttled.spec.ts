import { type Container, containerNamed, type Neighbor, read, windowsOf } from '../support/api'
import { measure, ratioOf } from '../support/figures'
import { cpuStatEdges, type Edge, WINDOW_MS } from '../support/stack'
import { expect, test } from '../support/test'

/** Of 100 ms. The agent and we read at each edge of the span, but not in the same instant. */
const PERIODS_OFF = 4
const RATIO_OFF = 0.01

type Detail = Container & { preempted_other_per_second: number }
type Answer = { container: Detail; preempted_by: { kind: string; name: string }[] }

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
      const { container, preempted_by } = await read<Answer>(`/containers/${id}?from=now-15m`)
      expect(preempted_by.filter((row) => row.kind === 'container')).toEqual([])
      expect(container.preempted_other_per_second).toBe(0)

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
