import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { answerFrame, renderApp } from '@/test/app'
import { aContainer, aHost, anAgent, aPage } from '@/test/fixtures'
import { axeViolations } from '@/test/render'
import { answer, answerProblem, unreachable } from '@/test/server'

beforeEach(() => {
  answerFrame()
  answer('/hosts', aPage([aHost()]))
  answer('/agents', aPage([anAgent()]))
})

const hostsShown = () => screen.findByRole('link', { name: 'i-0a1b4c7d2e' })

describe('the frame', () => {
  it('counts what there is and marks the page', async () => {
    const { container } = renderApp('/hosts')
    const pages = await screen.findByRole('navigation', { name: 'Pages' })
    expect(await within(pages).findByRole('link', { name: 'Containers 19' })).toBeInTheDocument()
    expect(within(pages).getByRole('link', { name: 'Hosts 1' })).toHaveAttribute('aria-current', 'page')
    await hostsShown()
    expect(document.title).toBe('Hosts · Neighborwatch')
    expect(screen.getByText(/as of 10:47:10/)).toBeInTheDocument()
    expect(await axeViolations(container)).toEqual([])
  })

  it('has a banner while agents are silent', async () => {
    answerFrame({ overview: { hosts_known: 480, hosts_stale: 3 } })
    renderApp('/hosts')
    expect(await screen.findByText(/3 of 480 agents are silent for more than 2 min/)).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Agents 3 silent' })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Show agents' })).toHaveAttribute(
      'href',
      '/agents?sort=last_seen_at',
    )
  })

  it('says that the backend does not answer and keeps the last figures', async () => {
    renderApp('/hosts')
    await hostsShown()
    unreachable('/overview')
    unreachable('/hosts')
    await userEvent.keyboard('r')
    expect(
      await screen.findByText(/The backend does not answer\. Figures below are as of 10:47:10\./),
    ).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'i-0a1b4c7d2e' })).toBeInTheDocument()
  })

  it('opens although the session cannot be read, and says why', async () => {
    unreachable('/session')
    unreachable('/overview')
    unreachable('/hosts')
    renderApp('/hosts')
    expect(await screen.findByText('Could not load the hosts')).toBeInTheDocument()
  })

  it('keeps the range on the way to another page', async () => {
    const { address } = renderApp('/hosts?from=now-6h&tz=local')
    await hostsShown()
    await userEvent.click(screen.getByRole('link', { name: 'Agents' }))
    await waitFor(() => expect(address()).toBe('/agents?from=now-6h&tz=local'))
  })
})

describe('the keys', () => {
  it('go to pages, open help and search', async () => {
    const { address } = renderApp('/hosts')
    await hostsShown()
    await userEvent.keyboard('ga')
    await waitFor(() => expect(address()).toBe('/agents'))
    await userEvent.keyboard('?')
    const help = await screen.findByRole('dialog', { name: 'Keys' })
    expect(await axeViolations(help)).toEqual([])
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  })

  it('find a container by name and open it', async () => {
    const seen = answer('/containers', aPage([aContainer()]))
    const { address } = renderApp('/hosts?from=now-3h')
    await hostsShown()
    await userEvent.keyboard('{Control>}k{/Control}')
    const field = await screen.findByRole('combobox', { name: 'Host or container' })
    await userEvent.type(field, 'check')
    const hit = await screen.findByRole('option', { name: /checkout-api/ })
    expect(Object.fromEntries(seen.at(-1) ?? [])).toMatchObject({ q: 'check', from: 'now-3h', kind: 'all' })
    expect(await axeViolations(screen.getByRole('dialog', { name: 'Find a host or container' }))).toEqual([])
    answerProblem('/containers/1-00000000000000aa', 404, 'No such container.')
    answerProblem('/series', 404, 'No such container.')
    await userEvent.keyboard('{ArrowDown}')
    expect(hit).toHaveAttribute('aria-selected', 'true')
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(address()).toBe('/containers/1-00000000000000aa?from=now-3h'))
  })

  it('leave typing alone', async () => {
    const { address } = renderApp('/hosts')
    await hostsShown()
    await userEvent.type(screen.getByRole('searchbox', { name: 'Name contains' }), 'ga?')
    expect(address()).not.toContain('/agents')
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })
})

describe('the range', () => {
  it('takes a preset and asks the page again', async () => {
    const seen = answer('/hosts', aPage([aHost()]))
    const { address } = renderApp('/hosts')
    await hostsShown()
    await userEvent.click(screen.getByRole('button', { name: /Time range/ }))
    await userEvent.click(await screen.findByRole('button', { name: '6 h' }))
    expect(address()).toBe('/hosts?from=now-6h&to=now')
    await waitFor(() => expect(seen.at(-1)?.get('from')).toBe('now-6h'))
    expect(await screen.findByRole('button', { name: /Time range Last 6 h/ })).toBeInTheDocument()
  })

  it('takes typed times in the zone shown and refuses what is no time', async () => {
    const { address } = renderApp('/hosts')
    await hostsShown()
    await userEvent.click(screen.getByRole('button', { name: /Time range/ }))
    const panel = await screen.findByRole('dialog', { name: /Time range/ })
    const from = await within(panel).findByLabelText('From')
    const to = within(panel).getByLabelText('To')
    await userEvent.clear(from)
    await userEvent.type(from, 'yesterday{Enter}')
    expect(from).toHaveAccessibleDescription('Write now-30m, 2026-11-18 10:35 or RFC 3339.')
    await userEvent.clear(from)
    await userEvent.type(from, '2026-11-18 09:47')
    await userEvent.clear(to)
    await userEvent.type(to, '2026-11-18 10:47{Enter}')
    expect(address()).toBe('/hosts?from=2026-11-18T09:47:00Z&to=2026-11-18T10:47:00Z')
  })

  it('is frozen in a copied link, so that it shows the same later', async () => {
    const user = userEvent.setup()
    renderApp('/hosts?q=i-0')
    await hostsShown()
    await user.click(screen.getByRole('button', { name: 'Copy link' }))
    expect(await screen.findByText('Link copied')).toBeInTheDocument()
    const link = await navigator.clipboard.readText()
    expect(link).toMatch(
      /^http:\/\/dashboard\.test\/hosts\?q=i-0&from=\d{4}-\d\d-\d\dT[\d:]+Z&to=\d{4}-\d\d-\d\dT[\d:]+Z$/,
    )
    await user.click(screen.getByRole('button', { name: 'Keep relative times instead' }))
    expect(await navigator.clipboard.readText()).toBe('http://dashboard.test/hosts?q=i-0')
  })

  it('is shown as a link to copy by hand where the clipboard is closed', async () => {
    const user = userEvent.setup()
    renderApp('/hosts')
    await hostsShown()
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('no', 'NotAllowedError'))
    await user.click(screen.getByRole('button', { name: 'Copy link' }))
    expect(await screen.findByLabelText<HTMLInputElement>('Link')).toHaveProperty(
      'value',
      expect.stringContaining('http://dashboard.test/hosts?from='),
    )
  })
})
