import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import { answerFrame, renderApp } from '@/test/app'
import { aContainer, anOverview } from '@/test/fixtures'
import { axeViolations } from '@/test/render'
import { answer, answerNever, answerProblem, server } from '@/test/server'

const NOTHING = {
  as_of: null,
  hosts_known: 0,
  hosts_live: 0,
  containers_running: 0,
  preempted_by_neighbors_per_second: null,
  containers_waiting: null,
  containers_throttled: null,
  wait_seconds: null,
  ran_seconds: null,
  wait_ratio: null,
  stolen_cpu_seconds_per_hour: null,
  self_wait_seconds: null,
  neighbor_wait_seconds: null,
  system_wait_seconds: null,
  throttled_own_wait_seconds: null,
  throttled_ancestor_wait_seconds: null,
  idle_gap_wait_seconds: null,
  unattributed_wait_seconds: null,
  top_neighbors: [],
  worst_containers: [],
  host_tiles: [],
  trend: {
    t: [],
    preempted_by_neighbors_per_second: [],
    throttled_containers: [],
    waiting_containers: [],
    self_wait_cores: [],
    neighbor_wait_cores: [],
    system_wait_cores: [],
    throttled_own_wait_cores: [],
    throttled_ancestor_wait_cores: [],
    idle_gap_wait_cores: [],
    unattributed_wait_cores: [],
  },
}

describe('the overview', () => {
  it('shows the figures, who waits, by whom, and who steals', async () => {
    answerFrame()
    const { container } = renderApp('/')
    const now = await screen.findByRole('region', { name: 'Now' })
    expect(now).toHaveTextContent('3 containers')
    expect(now).toHaveTextContent('4,104.0 CPU-s/h')
    expect(now).toHaveTextContent('newest 1 min: 4,104.0 CPU-s/h')
    expect(within(now).getByRole('img', { name: /neighbors 4,104.0, system 468.0/ })).toBeInTheDocument()
    expect(now).toHaveTextContent('Where 100,000.0 CPU-s of demand went')
    expect(now).toHaveTextContent('6.8 % waited')
    const victims = screen.getByRole('table', { name: 'Containers that waited longest' })
    expect(within(victims).getByRole('link', { name: 'checkout-api' })).toHaveAttribute(
      'href',
      '/containers/1-00000000000000aa',
    )
    const neighbors = screen.getByRole('table', { name: 'Containers that stole CPU time' })
    expect(within(neighbors).getByRole('link', { name: 'batch-encode' })).toBeInTheDocument()
    expect(await axeViolations(container)).toEqual([])
  })

  it('is drawn as a skeleton while it loads', async () => {
    answerFrame()
    answerNever('/overview')
    renderApp('/')
    expect(await screen.findByText('Loading the overview')).toBeInTheDocument()
    expect(screen.getByRole('table', { name: 'Containers that waited longest' })).toHaveAttribute(
      'aria-busy',
      'true',
    )
  })

  it('that cannot be read gives the reason, the request and a way to try again', async () => {
    answerFrame()
    answerProblem('/overview', 500, 'The database did not answer.', 'req-9')
    renderApp('/')
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('The database did not answer.')
    expect(alert).toHaveTextContent('req-9')
    answerFrame()
    await userEvent.click(within(alert).getByRole('button', { name: 'Retry' }))
    expect(await screen.findByRole('region', { name: 'Now' })).toBeInTheDocument()
  })

  it('keeps the old figures, marked, when a refresh fails', async () => {
    answerFrame()
    renderApp('/')
    await screen.findByRole('region', { name: 'Now' })
    answerProblem('/overview', 500, 'Disk full.')
    await userEvent.keyboard('r')
    expect(await screen.findByText(/Not refreshed, older figures shown\. Disk full\./)).toBeInTheDocument()
    expect(screen.getByRole('region', { name: 'Now' })).toHaveTextContent('3 containers')
  })

  it('shows a container without samples with dashes, never zeros', async () => {
    answerFrame({
      overview: {
        worst_containers: [
          aContainer({
            host_state: 'stale',
            runq_p99_seconds: null,
            wait_ratio: null,
            ran_seconds: null,
            wait_seconds: null,
            preempted_other_per_second: null,
            cpu_used_cores: null,
          }),
        ],
      },
    })
    renderApp('/')
    const row = (await screen.findByText('Stale')).closest('tr') as HTMLElement
    expect(within(row).getAllByText('–').length).toBe(5)
  })

  it('says that nobody stole anything instead of leaving a hole', async () => {
    answerFrame({ overview: { top_neighbors: [], worst_containers: [] } })
    renderApp('/')
    expect(await screen.findByText('No container waited for another')).toBeInTheDocument()
    expect(screen.getByText('No container ran in this range')).toBeInTheDocument()
  })

  it('draws many hosts as squares that lead to their containers, silent ones apart', async () => {
    const tiles = Array.from({ length: 20 }, (_, index) => ({
      host_id: String(index),
      name: `h${index}`,
      instance_family: 'm7i',
      state: index === 3 ? ('stale' as const) : ('live' as const),
      value: 0,
      neighbor_wait_cores: index === 3 ? null : index / 100,
    }))
    answerFrame({ overview: { host_tiles: tiles } })
    const { container, address } = renderApp('/')
    await screen.findByText(/20 hosts, 1 silent, most stolen on h19, 684\.0 CPU-s\/h/)
    const tile = container.querySelector('[data-host="19"]')
    expect(container.querySelector('[data-host="3"]')).toHaveAttribute('title', 'h3, silent')
    answer('/containers', { ...anOverview(), items: [], next_cursor: null, total: 0 })
    await userEvent.click(tile as Element)
    await waitFor(() => expect(address()).toContain('/containers?host_id=19'))
  })
})

describe('the first run', () => {
  it('makes a token, shows the command and waits', async () => {
    answerFrame({ overview: NOTHING })
    server.use(
      http.post('http://dashboard.test/api/v1/enrolment-tokens', () =>
        HttpResponse.json(
          {
            token: 'nwe_x',
            expires_at: '2026-11-18T11:44:02Z',
            command: 'nwagent --server http://nw --enroll-token nwe_x',
          },
          { status: 201 },
        ),
      ),
    )
    const { container } = renderApp('/')
    expect(await screen.findByText('Connect the first host')).toBeInTheDocument()
    expect(screen.getByText(/Waiting for the first agent/)).toBeInTheDocument()
    expect(screen.getAllByText('no samples yet')).toHaveLength(3)
    expect(within(screen.getByRole('main')).queryByText('0')).not.toBeInTheDocument()
    await userEvent.click(screen.getByRole('button', { name: 'Create token' }))
    await waitFor(() =>
      expect(container).toHaveTextContent('nwagent --server http://nw --enroll-token nwe_x'),
    )
    expect(container).toHaveTextContent('valid until 11:44:02')
    expect(await axeViolations(container)).toEqual([])
  })

  it('tells why no token was made', async () => {
    answerFrame({ overview: NOTHING })
    server.use(
      http.post('http://dashboard.test/api/v1/enrolment-tokens', () =>
        HttpResponse.json({ detail: 'Too many tokens are open.' }, { status: 409 }),
      ),
    )
    renderApp('/')
    await userEvent.click(await screen.findByRole('button', { name: 'Create token' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('Too many tokens are open.')
  })

  it('sends a viewer to an admin', async () => {
    answerFrame({ role: 'viewer', overview: NOTHING })
    renderApp('/')
    expect(await screen.findByText(/Only an admin may create one/)).toBeInTheDocument()
  })

  it('knows a host that enrolled but has sent nothing', async () => {
    answerFrame({ overview: { ...NOTHING, hosts_known: 1 } })
    renderApp('/')
    expect(await screen.findByText('1 host enrolled.')).toBeInTheDocument()
    expect(screen.getByText('Waiting for the first window')).toBeInTheDocument()
  })
})
