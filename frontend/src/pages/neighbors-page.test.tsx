import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { cpuSeconds } from '@/lib/format'
import { answerFrame, renderApp } from '@/test/app'
import { emptyNeighbors, neighborItem, neighborList } from '@/test/neighbor-fixtures'
import { axeViolations } from '@/test/render'
import { answer, answerNever, answerProblem } from '@/test/server'

beforeEach(() => answerFrame())

const table = () => screen.findByRole('table', { name: 'Neighbors' })
const rowOf = async (name: string) => (await screen.findByText(name)).closest('tr') as HTMLElement

describe('the ranking of neighbors', () => {
  it('puts who stole most first and says what it is ranked by', async () => {
    answer('/neighbors', neighborList())
    const { container } = renderApp('/neighbors')
    await screen.findByText('batch-encode')
    const rows = within(await table()).getAllByRole('row')
    expect(rows[1]).toHaveTextContent(/^1batch-encode/)
    expect(rows[1]).toHaveTextContent('541.0')
    expect(screen.getByText('ranked by CPU time stolen from other containers')).toBeInTheDocument()
    expect(screen.getByText('1,714.0 CPU-s by 41 containers')).toBeInTheDocument()
    expect(await axeViolations(container)).toEqual([])
  })

  it('links to the most harmed and to the one with the worst P99', async () => {
    answer('/neighbors', neighborList({ items: [neighborItem()], total: 1 }))
    renderApp('/neighbors')
    const row = await rowOf('batch-encode')
    const victim = '/containers/17-000c4ec0a7a91000'
    expect(within(row).getByRole('link', { name: 'checkout-api-7c9d4-x2kfm' })).toHaveAttribute(
      'href',
      victim,
    )
    expect(within(row).getByRole('link', { name: '131 ms, checkout-api-7c9d4-x2kfm' })).toHaveAttribute(
      'href',
      victim,
    )
    expect(
      within(row).getByRole('img', {
        name: 'checkout-api-7c9d4-x2kfm 45 %, feature-store-0 25 %, session-store-2 18 %, others 12 %',
      }),
    ).toBeInTheDocument()
  })

  it('adds up to the sum it shows', async () => {
    answer('/neighbors', neighborList())
    renderApp('/neighbors')
    const listed = neighborList().items.reduce((sum, item) => sum + (item.stolen_cpu_seconds ?? 0), 0)
    expect(await rowOf('31 others')).toHaveTextContent(cpuSeconds(1_714 - listed))
    expect(await rowOf('All containers')).toHaveTextContent('1,714.0')
  })

  it('keeps system services apart, without a rank', async () => {
    answer('/neighbors', neighborList())
    renderApp('/neighbors')
    await screen.findByText('kubelet.service')
    const rows = within(await table()).getAllByRole('row')
    const group = rows.findIndex((row) => row.textContent?.startsWith('System services'))
    expect(rows[group]).toHaveTextContent('cgroups that are no container: 168.8 CPU-s')
    expect(rows[group + 1]).toHaveTextContent(/^kubelet\.service/)
  })

  it('shows system services even when no container stole anything', async () => {
    answer('/neighbors', neighborList({ items: [], total: 0, total_preemptions: 0, next_cursor: null }))
    renderApp('/neighbors')
    expect(await screen.findByText('kubelet.service')).toBeInTheDocument()
    expect(screen.queryByText('All containers')).toBeNull()
  })
})

describe('an empty ranking', () => {
  it('is good news when hosts reported', async () => {
    answer('/neighbors', emptyNeighbors())
    renderApp('/neighbors')
    expect(await screen.findByText('No container waited for another in this range')).toBeInTheDocument()
    expect(screen.getByText('480 of 480 hosts reported.')).toBeInTheDocument()
  })

  it('is no news when none did', async () => {
    answer('/neighbors', { ...emptyNeighbors(), as_of: null })
    renderApp('/neighbors')
    expect(await screen.findByText('No samples in this range')).toBeInTheDocument()
  })

  it('may come from the filter', async () => {
    answer('/neighbors', emptyNeighbors())
    renderApp('/neighbors?q=zz')
    expect(await screen.findByText('No neighbor matches these filters in this range')).toBeInTheDocument()
  })
})

it('is drawn as a skeleton while it loads', async () => {
  answerNever('/neighbors')
  renderApp('/neighbors')
  expect(await table()).toHaveAttribute('aria-busy', 'true')
})

it('leaves a reason when it cannot be read', async () => {
  answerProblem('/neighbors', 500, 'The database did not answer within 5 s.', 'req-44')
  renderApp('/neighbors')
  expect(await screen.findByRole('alert')).toHaveTextContent('Could not load the neighbors')
})

it('goes on with the cursor and keeps the host in the address', async () => {
  const seen = answer('/neighbors', neighborList())
  const { address } = renderApp('/neighbors?host_id=17')
  await userEvent.click(await screen.findByRole('button', { name: 'Next page' }))
  expect(address()).toBe('/neighbors?host_id=17&cursor=after-10')
  await screen.findByRole('button', { name: 'First page' })
  expect(Object.fromEntries(seen.at(-1) ?? [])).toMatchObject({
    host_id: '17',
    cursor: 'after-10',
    sort: '-stolen_cpu_seconds',
  })
})
