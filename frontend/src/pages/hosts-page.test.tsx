import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { answerFrame, renderApp } from '@/test/app'
import { aHost, aPage } from '@/test/fixtures'
import { axeViolations } from '@/test/render'
import { answer, answerNever, answerProblem, unreachable } from '@/test/server'

beforeEach(() => answerFrame())

describe('hosts', () => {
  it('are listed with what the machine is and how it fares', async () => {
    answer('/hosts', aPage([aHost()]))
    const { container } = renderApp('/hosts')
    const row = (await screen.findByRole('link', { name: 'i-0a1b4c7d2e' })).closest('tr')
    expect(row).toHaveTextContent('Live')
    expect(row).toHaveTextContent('m6a.metal')
    expect(row).toHaveTextContent('2 × 48 cores, SMT, 12 L3')
    expect(row).toHaveTextContent('99.2 %')
    expect(row).toHaveTextContent('131 ms')
    expect(row).toHaveTextContent('653.8')
    expect(await axeViolations(container)).toEqual([])
  })

  it('that are stale say so and show no figure instead of zero', async () => {
    answer(
      '/hosts',
      aPage([
        aHost({
          state: 'stale',
          cpu_used_ratio: null,
          runq_p99_seconds: null,
          preempted_by_neighbors_per_second: null,
          steal_ratio: null,
        }),
      ]),
    )
    renderApp('/hosts')
    const row = (await screen.findByText(/^Stale/)).closest('tr') as HTMLElement
    expect(within(row).getAllByText('–').length).toBeGreaterThanOrEqual(4)
    expect(row).not.toHaveTextContent('0.0 %')
  })

  it('are drawn as a skeleton while they load', async () => {
    answerNever('/hosts')
    renderApp('/hosts')
    const table = await screen.findByRole('table', { name: 'Hosts' })
    expect(table).toHaveAttribute('aria-busy', 'true')
    expect(within(table).getAllByRole('row')).toHaveLength(11)
  })

  it('that cannot be read leave a reason, the request and a way to try again', async () => {
    answerProblem('/hosts', 500, 'The database did not answer within 5 s.', 'req-42')
    renderApp('/hosts')
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('Could not load the hosts')
    expect(alert).toHaveTextContent('The database did not answer within 5 s.')
    expect(alert).toHaveTextContent('req-42')
    answer('/hosts', aPage([aHost()]))
    await userEvent.click(within(alert).getByRole('button', { name: 'Retry' }))
    expect(await screen.findByRole('link', { name: 'i-0a1b4c7d2e' })).toBeInTheDocument()
  })

  it('that are cut off say that the backend does not answer', async () => {
    unreachable('/hosts')
    renderApp('/hosts')
    expect(await screen.findByText('The backend does not answer.')).toBeInTheDocument()
  })

  it('lead to the first one when there is none', async () => {
    answer('/hosts', aPage([]))
    renderApp('/hosts')
    expect(await screen.findByText('No host is enrolled')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Connect the first host' })).toHaveAttribute('href', '/')
  })

  it('tell a filter without a match from having no hosts', async () => {
    answer('/hosts', aPage([]))
    renderApp('/hosts?q=zz')
    expect(await screen.findByText('No host has “zz” in its name')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Show all hosts' })).toBeInTheDocument()
  })
})

describe('the order and page of hosts', () => {
  it('start with the most harmed and change with a click on a head', async () => {
    const seen = answer('/hosts', aPage([aHost()]))
    const { address } = renderApp('/hosts')
    await screen.findByRole('link', { name: 'i-0a1b4c7d2e' })
    expect(seen.at(-1)?.get('sort')).toBe('-preempted_by_neighbors_per_second')
    await userEvent.click(screen.getByRole('button', { name: 'CPU used' }))
    expect(address()).toBe('/hosts?sort=-cpu_used_ratio')
    expect(await screen.findByRole('columnheader', { name: 'CPU used' })).toHaveAttribute(
      'aria-sort',
      'descending',
    )
    expect(seen.at(-1)?.get('sort')).toBe('-cpu_used_ratio')
  })

  it('come from the address, with the range', async () => {
    const seen = answer('/hosts', aPage([aHost()]))
    renderApp('/hosts?from=now-6h&sort=name&limit=200&q=i-0')
    await screen.findByRole('link', { name: 'i-0a1b4c7d2e' })
    expect(Object.fromEntries(seen.at(-1) ?? [])).toEqual({
      from: 'now-6h',
      to: 'now',
      sort: 'name',
      limit: '200',
      q: 'i-0',
    })
  })

  it('go on with the cursor and forget it when the order changes', async () => {
    const seen = answer('/hosts', aPage([aHost()], { total: 480, next_cursor: 'abc' }))
    const { address } = renderApp('/hosts')
    expect(await screen.findByText('1 of 480')).toBeInTheDocument()
    await userEvent.click(screen.getByRole('button', { name: 'Next page' }))
    expect(address()).toBe('/hosts?cursor=abc')
    await screen.findByRole('button', { name: 'First page' })
    expect(seen.at(-1)?.get('cursor')).toBe('abc')
    await userEvent.click(screen.getByRole('button', { name: 'P99 wait' }))
    expect(address()).toBe('/hosts?sort=-runq_p99_seconds')
  })
})
