import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { answerFrame, renderApp } from '@/test/app'
import { containerItem } from '@/test/container-fixtures'
import { aPage } from '@/test/fixtures'
import { axeViolations } from '@/test/render'
import { answer, answerNever, answerProblem } from '@/test/server'

beforeEach(() => answerFrame())

const NAME = 'checkout-api-7c9d4-x2kfm'
const rowOf = async (name: string) => (await screen.findByRole('link', { name })).closest('tr') as HTMLElement

describe('containers', () => {
  it('are listed with what they waited for and who came in', async () => {
    answer('/containers', aPage([containerItem()], { total: 1_312 }))
    const { container } = renderApp('/containers')
    const row = await rowOf(NAME)
    for (const text of ['i-0a1b4c7d2e', 'payments', '131 ms', '1.9 ms', '31.8 %', '58.2', '0.0 %']) {
      expect(row).toHaveTextContent(text)
    }
    expect(screen.getByRole('link', { name: NAME })).toHaveAttribute(
      'href',
      '/containers/17-000c4ec0a7a91000',
    )
    expect(screen.getByText('1 of 1,312')).toBeInTheDocument()
    expect(await axeViolations(container)).toEqual([])
  })

  it('show the unknown as a dash and zero as zero', async () => {
    answer(
      '/containers',
      aPage([
        containerItem({
          name: 'unknown',
          runq_p99_seconds: null,
          wait_ratio: null,
          throttled_ratio: null,
          preempted_other_per_second: null,
        }),
        containerItem({
          id: '17-2',
          name: 'quiet',
          wait_ratio: 0,
          preempted_other_per_second: 0,
          throttled_ratio: 0,
        }),
      ]),
    )
    renderApp('/containers')
    const unknown = await rowOf('unknown')
    expect(within(unknown).getAllByText('–')).toHaveLength(4)
    expect(unknown).not.toHaveTextContent('0.0 %')
    expect(within(await rowOf('quiet')).queryByText('–')).toBeNull()
  })

  it('tell no quota from not measured', async () => {
    answer('/containers', aPage([containerItem({ quota_cores: null, throttled_ratio: null })]))
    renderApp('/containers')
    expect(within(await rowOf(NAME)).getByTitle('No CPU quota of its own')).toHaveTextContent('–')
  })

  it('of a stale host say so', async () => {
    answer('/containers', aPage([containerItem({ host_state: 'stale' })]))
    renderApp('/containers')
    expect(await rowOf(NAME)).toHaveTextContent(/Stale/)
  })

  it('are drawn as a skeleton while they load', async () => {
    answerNever('/containers')
    renderApp('/containers')
    expect(await screen.findByRole('table', { name: 'Containers' })).toHaveAttribute('aria-busy', 'true')
  })

  it('that cannot be read leave a reason and the request', async () => {
    answerProblem('/containers', 500, 'The database did not answer within 5 s.', 'req-43')
    renderApp('/containers')
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('Could not load the containers')
    expect(alert).toHaveTextContent('req-43')
  })

  it('without samples are not an empty healthy fleet', async () => {
    answer('/containers', aPage([]))
    renderApp('/containers')
    expect(await screen.findByText('No container sent samples in this range')).toBeInTheDocument()
  })
})

describe('the question', () => {
  it('comes from the address', async () => {
    const seen = answer('/containers', aPage([containerItem()]))
    renderApp(
      '/containers?from=now-6h&kind=all&host_id=17&namespace=payments&sort=-wait_ratio&q=api&limit=200',
    )
    await rowOf(NAME)
    expect(Object.fromEntries(seen.at(-1) ?? [])).toEqual({
      from: 'now-6h',
      to: 'now',
      kind: 'all',
      host_id: '17',
      namespace: 'payments',
      sort: '-wait_ratio',
      q: 'api',
      limit: '200',
    })
  })

  it('narrows with a click on a host and widens with its chip', async () => {
    answer('/containers', aPage([containerItem()]))
    const { address } = renderApp('/containers?cursor=abc')
    await userEvent.click(await screen.findByRole('link', { name: 'i-0a1b4c7d2e' }))
    expect(address()).toBe('/containers?host_id=17')
    await userEvent.click(await screen.findByRole('button', { name: 'Remove filter Host i-0a1b4c7d2e' }))
    expect(address()).toBe('/containers')
  })

  it('can be about system services', async () => {
    const seen = answer('/containers', aPage([containerItem({ kind: 'system', name: 'kubelet.service' })]))
    const { address } = renderApp('/containers')
    await userEvent.click(await screen.findByRole('radio', { name: 'System services' }))
    expect(address()).toBe('/containers?kind=system')
    expect(await screen.findByRole('heading', { name: 'System services' })).toBeInTheDocument()
    expect(seen.at(-1)?.get('kind')).toBe('system')
  })

  it('sorts on the server', async () => {
    answer('/containers', aPage([containerItem()]))
    const { address } = renderApp('/containers')
    await rowOf(NAME)
    await userEvent.click(screen.getByRole('button', { name: 'Throttled' }))
    expect(address()).toBe('/containers?sort=-throttled_ratio')
  })

  it('that no container matches can be taken back', async () => {
    answer('/containers', aPage([]))
    const { address } = renderApp('/containers?q=zz&kind=all')
    await userEvent.click(await screen.findByRole('button', { name: 'Clear filters' }))
    expect(address()).toBe('/containers')
  })
})
