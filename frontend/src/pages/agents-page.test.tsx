import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import { answerFrame, renderApp } from '@/test/app'
import { anAgent, aPage } from '@/test/fixtures'
import { axeViolations } from '@/test/render'
import { answer, answerNever, answerProblem, server } from '@/test/server'

describe('agents', () => {
  it('show what they cost and that their collectors work', async () => {
    answerFrame()
    answer('/agents', aPage([anAgent()]))
    const { container } = renderApp('/agents')
    const row = (await screen.findByRole('link', { name: 'i-0a1b4c7d2e' })).closest('tr')
    expect(row).toHaveTextContent('sched, throttle ok')
    expect(row).toHaveTextContent('211 measured')
    expect(row).toHaveTextContent('0.007 % of 0.50 % allowed')
    expect(row).toHaveTextContent('10.9 MiB')
    expect(await axeViolations(container)).toEqual([])
  })

  it('name a collector that failed with the reason the agent gave', async () => {
    answerFrame()
    answer(
      '/agents',
      aPage([
        anAgent({
          collectors: [
            {
              name: 'sched',
              status: 'failed',
              reason: 'attach sched_switch: EPERM',
              lost: 0,
              map_bytes: null,
              maps: [],
            },
            { name: 'throttle', status: 'unsupported', reason: null, lost: 0, map_bytes: null, maps: [] },
          ],
        }),
      ]),
    )
    renderApp('/agents')
    expect(await screen.findByText('sched failed')).toBeInTheDocument()
    expect(screen.getByText('attach sched_switch: EPERM')).toBeInTheDocument()
    expect(screen.getByText('throttle not on this kernel')).toBeInTheDocument()
    expect(screen.getByText('no reason given')).toBeInTheDocument()
  })

  it('tell unknown cost from no cost', async () => {
    answerFrame()
    answer('/agents', aPage([anAgent({ cost: null, lost_batches: null, clock_skew_seconds: null })]))
    renderApp('/agents')
    const row = (await screen.findByRole('link', { name: 'i-0a1b4c7d2e' })).closest('tr') as HTMLElement
    expect(within(row).getAllByText('–').length).toBe(6)
  })

  it('say what they cost, how that is known, and what the governor switched off', async () => {
    answerFrame()
    const cost = anAgent().cost as NonNullable<ReturnType<typeof anAgent>['cost']>
    answer(
      '/agents',
      aPage([
        anAgent({
          cost: {
            ...cost,
            method: 'estimated',
            spent_ratio: 0.0071,
            governor_level: 2,
            governor_reason: 'off: event exemplars, exact blame of short waits; 0.71 % of 0.50 % spent',
          },
          event_loss: { ring_full: 3, queue_full: 1, rate_limited: 40 },
        }),
      ]),
    )
    renderApp('/agents')
    const row = (await screen.findByRole('link', { name: 'i-0a1b4c7d2e' })).closest('tr') as HTMLElement
    expect(row).toHaveTextContent('211 estimated')
    expect(row).toHaveTextContent('0.710 % of 0.50 % allowed')
    expect(row).toHaveTextContent('saving, step 2')
    expect(row).toHaveTextContent('off: event exemplars')
    expect(row).toHaveTextContent('4 events')
    expect(screen.getByTitle(/slots 61 of 512 \(12 %\)/)).toBeInTheDocument()
  })

  it('say what was lost, what waits in the spool and how far a clock is off', async () => {
    answerFrame()
    const cost = { ...anAgent().cost, spool_batches: 44, spool_bytes: 900_000 } as NonNullable<
      ReturnType<typeof anAgent>['cost']
    >
    answer(
      '/agents',
      aPage([
        anAgent({
          lost_batches: 12,
          cost,
          clock_skew_seconds: -6.2,
          collectors: [
            { name: 'sched', status: 'degraded', reason: 'table full', lost: 214, map_bytes: null, maps: [] },
          ],
        }),
      ]),
    )
    renderApp('/agents')
    expect(await screen.findByText('12 batches, 214 records')).toBeInTheDocument()
    expect(screen.getByText('44', { exact: false, selector: 'span[title="879 KiB"]' })).toBeInTheDocument()
    expect(screen.getByText('−6.2 s')).toHaveAttribute('title', expect.stringContaining('clock'))
  })

  it('are drawn as a skeleton while they load, with a reason when they cannot', async () => {
    answerFrame()
    answerNever('/agents')
    const { unmount } = renderApp('/agents')
    expect(await screen.findByRole('table', { name: 'Agents' })).toHaveAttribute('aria-busy', 'true')
    unmount()
    answerProblem('/agents', 503, 'The database is starting.')
    renderApp('/agents')
    expect(await screen.findByRole('alert')).toHaveTextContent('The database is starting.')
  })

  it('lead to the first host when none is enrolled', async () => {
    answerFrame()
    answer('/agents', aPage([]))
    renderApp('/agents')
    expect(await screen.findByText('No agent is enrolled')).toBeInTheDocument()
  })
})

describe('adding a host', () => {
  it('shows the command with a fresh token, once', async () => {
    answerFrame()
    answer('/agents', aPage([anAgent()]))
    server.use(
      http.post('http://dashboard.test/api/v1/enrolment-tokens', async ({ request }) => {
        expect(request.headers.get('X-Requested-With')).toBe('neighborwatch')
        expect(await request.json()).toEqual({ ttl_seconds: 3600 })
        return HttpResponse.json(
          { token: 'nwe_x', expires_at: '2026-11-18T11:47:10Z', command: 'nwagent --enroll-token nwe_x' },
          { status: 201 },
        )
      }),
    )
    renderApp('/agents')
    await userEvent.click(await screen.findByRole('button', { name: 'Add a host' }))
    const dialog = await screen.findByRole('dialog', { name: 'Add a host' })
    expect(dialog).toHaveTextContent('nwagent --enroll-token nwe_x')
    expect(dialog).toHaveTextContent('valid until 11:47:10')
  })

  it('is not offered to a viewer', async () => {
    answerFrame({ role: 'viewer' })
    answer('/agents', aPage([anAgent()]))
    renderApp('/agents')
    await screen.findByRole('link', { name: 'i-0a1b4c7d2e' })
    expect(screen.queryByRole('button', { name: 'Add a host' })).not.toBeInTheDocument()
  })
})
