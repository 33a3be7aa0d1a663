import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { answerFrame, renderApp } from '@/test/app'
import { containerAnswer, LEDGER, seriesAnswer, storySeries, VICTIM_ID } from '@/test/container-fixtures'
import { axeViolations } from '@/test/render'
import { answer, answerNever, answerProblem } from '@/test/server'

const PATH = `/containers/${VICTIM_ID}`

beforeEach(() => answerFrame())

function answerAll(
  over: Parameters<typeof containerAnswer>[0] = {},
  story: Parameters<typeof storySeries>[0] = {},
) {
  answer(PATH, containerAnswer(over))
  return answer('/series', storySeries(story))
}

const figure = (name: string) => screen.findByRole('figure', { name })

describe('a container', () => {
  it('shows latency, preemptions and throttling, each with a sentence, from one request', async () => {
    const seen = answerAll()
    const { container } = renderApp(PATH)
    expect(await figure('Run queue latency')).toHaveAccessibleDescription(/^P99 .* to 1\d\d ms/)
    expect(await figure('Preemptions by cause')).toHaveAccessibleDescription(
      /^Preempted by another container/,
    )
    expect(await figure('Throttling')).toHaveTextContent('no throttled period in range; quota 4.0 cores')
    expect(seen).toHaveLength(1)
    expect(seen[0]?.getAll('metric')).toContain('runq_p99_seconds')
    expect(seen[0]?.get('scope')).toBe(`container:${VICTIM_ID}`)
    expect(await axeViolations(container)).toEqual([])
  })

  it('names its host and who ran while it waited, worst first', async () => {
    answerAll()
    renderApp(PATH)
    expect(await screen.findByRole('heading', { name: 'checkout-api-7c9d4-x2kfm' })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'i-0a1b4c7d2e' })).toHaveAttribute(
      'href',
      '/containers?host_id=17&kind=all',
    )
    const table = screen.getByRole('table', { name: 'Who ran while it waited' })
    const rows = within(table).getAllByRole('row').slice(1)
    expect(rows[0]).toHaveTextContent('batch-encodecontainer389.490.4 %81.6 %38,960')
    expect(rows[2]).toHaveTextContent('kubelet.servicesystem')
    expect(within(rows[0] as HTMLElement).getByRole('link', { name: 'batch-encode' })).toBeInTheDocument()
    expect(within(rows.at(-1) as HTMLElement).queryByRole('link')).toBeNull()
  })

  it('states throttling by its own quota and by an ancestor apart', async () => {
    answerAll(
      {
        quota_cores: 0.2,
        throttled_ratio: 0.42,
        nr_periods: 18_000,
        nr_throttled: 7_560,
        ancestor_throttled_ratio: 0.031,
        ancestor_throttled_seconds: 18.2,
      },
      { throttled: 0.6, quota: 0.2 },
    )
    renderApp(PATH)
    expect(await screen.findByText('7,560 of 18,000 periods, 0.0 s')).toBeInTheDocument()
    expect(screen.getByText('quota of a cgroup above it, 18.2 s')).toBeInTheDocument()
    expect(await figure('Throttling')).toHaveTextContent('throttled time')
  })

  it('says that its host is stale and that data is missing', async () => {
    answerAll(
      { host_state: 'stale', last_seen_at: '2026-11-18T10:40:10Z' },
      { missing: (index) => index >= 138 },
    )
    renderApp(PATH)
    expect(await screen.findByText(/^Stale/)).toBeInTheDocument()
    expect(await figure('Run queue latency')).toHaveAccessibleDescription(/No data for 7 min/)
  })

  it('without any window has no samples, which is not zero', async () => {
    answer(PATH, {
      ...containerAnswer({ ran_seconds: null, wait_seconds: null, wait_ratio: null, runq_p99_seconds: null }),
      ledger: null,
      aggressors: [],
    })
    answer('/series', storySeries({ missing: () => true }))
    renderApp(PATH)
    expect(await screen.findByText(/The container ran 0 s in this range/)).toBeInTheDocument()
    expect(screen.queryByText('Nobody ran while it waited')).toBeNull()
    expect(screen.getByText('no samples in this range')).toBeInTheDocument()
  })

  it('shows where its demand went, by cause, and P99 without throttling where they differ', async () => {
    answerAll({ runq_unthrottled_p99_seconds: 0.0049 })
    renderApp(PATH)
    expect(await screen.findByText('Where 1,500.0 CPU-s of demand went')).toBeInTheDocument()
    expect(screen.getByRole('img', { name: /^Demand: ran .* neighbors 412.0 CPU-s/ })).toBeInTheDocument()
    expect(screen.getByText(/P99 without throttling 4.9 ms/)).toBeInTheDocument()
    expect(await figure('Waited, by cause')).toHaveAccessibleDescription(/neighbors .* to 0.3/)
  })

  it('that nobody hurt and that hurt nobody says so', async () => {
    answer(PATH, containerAnswer({}, { aggressors: [], victims: [] }))
    answer('/series', storySeries())
    renderApp(PATH)
    expect(await screen.findByText('Nobody ran while it waited')).toBeInTheDocument()
    expect(screen.getByText('No container waited for it')).toBeInTheDocument()
  })

  it('of an agent that does not tell causes apart says what to do', async () => {
    answer(PATH, containerAnswer({}, { ledger: { ...LEDGER, parts: [] }, aggressors: [] }))
    answer('/series', seriesAnswer({ runq_p99_seconds: [0.01], preempted_other_per_second: [1] }))
    renderApp(PATH)
    expect(await screen.findByText(/does not say by whom: update it/)).toBeInTheDocument()
    expect(await figure('Waited, by cause')).toHaveTextContent('does not tell causes apart')
  })

  it('that no host reported leads back to the list', async () => {
    answerProblem(PATH, 404, 'No such container.')
    answerProblem('/series', 404, 'No such container.')
    renderApp(PATH)
    expect(await screen.findByText('No such container')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'All containers' })).toHaveAttribute('href', '/containers')
  })
})

describe('while one request fails the other stays alive', () => {
  it('charts failed: reason, request id, retry', async () => {
    answer(PATH, containerAnswer())
    answerProblem('/series', 503, 'The database does not answer.', 'req-9c1')
    renderApp(PATH)
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('Could not load the chartsThe database does not answer.Request req-9c1')
    expect(await screen.findByText('batch-encode')).toBeInTheDocument()
    answer('/series', storySeries())
    await userEvent.click(within(alert).getByRole('button', { name: 'Retry' }))
    expect(await figure('Run queue latency')).toBeInTheDocument()
  })

  it('container failed: the charts are drawn', async () => {
    answerProblem(PATH, 500, 'Something broke.', 'req-9c2')
    answer('/series', storySeries())
    renderApp(PATH)
    expect(await screen.findByText('Could not load the container')).toBeInTheDocument()
    expect(await figure('Throttling')).toBeInTheDocument()
  })
})

it('keeps its final size while it loads', async () => {
  answerNever(PATH)
  answerNever('/series')
  renderApp(PATH)
  const table = await screen.findByRole('table', { name: 'Who ran while it waited' })
  expect(table).toHaveAttribute('aria-busy', 'true')
  expect(screen.getByText('Loading the charts')).toBeInTheDocument()
})

it('dims the old range while a new one is asked for, and never shows another container', async () => {
  answerAll()
  const { container } = renderApp(PATH)
  const latency = await figure('Run queue latency')
  answerNever('/series')
  answerNever(PATH)
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true }))
  await screen.findByText('batch-encode')
  expect(latency).toBeInTheDocument()
  expect(container.querySelectorAll('[aria-busy="true"]').length).toBeGreaterThan(0)
})

describe('the charts', () => {
  it('are asked again with twice the span on Ctrl+Z', async () => {
    const seen = answerAll()
    const { address } = renderApp(`${PATH}?from=2026-11-18T10:17:10Z&to=2026-11-18T10:47:10Z`)
    await figure('Run queue latency')
    await userEvent.keyboard('{Control>}z{/Control}')
    expect(address()).toContain('from=2026-11-18T10:02:10Z&to=2026-11-18T11:02:10Z')
    await screen.findByRole('figure', { name: 'Throttling' })
    expect(seen.at(-1)?.get('from')).toBe('2026-11-18T10:02:10Z')
  })

  it('can be read as tables, newest first', async () => {
    answerAll({}, { missing: (index) => index === 178 })
    renderApp(PATH)
    await userEvent.click(await screen.findByRole('button', { name: 'Show Run queue latency as table' }))
    const region = await screen.findByRole('region', { name: 'Run queue latency, log scale' })
    const rows = within(region).getAllByRole('row')
    expect(rows[0]).toHaveTextContent('TimeP99P99 without throttlingP50')
    expect(rows[1]).toHaveTextContent(/^10:47:00\d+ ms/)
    expect(rows[2]).toHaveTextContent('10:46:50––')
  })

  it('keep the chosen scale in the address', async () => {
    answerAll()
    const { address } = renderApp(PATH)
    await userEvent.click(await screen.findByRole('button', { name: 'Draw latency on a linear scale' }))
    expect(address()).toBe(`${PATH}?scale=linear`)
    expect(await screen.findByText('linear scale')).toBeInTheDocument()
    await userEvent.click(screen.getByRole('button', { name: 'Draw latency on a log scale' }))
    expect(address()).toBe(PATH)
  })
})
