import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { answerFrame, renderApp } from '@/test/app'
import { anEvent } from '@/test/event-fixtures'
import { aPage } from '@/test/fixtures'
import { axeViolations } from '@/test/render'
import { answer, answerNever, answerProblem } from '@/test/server'

beforeEach(() => answerFrame())

const throttled = anEvent({
  id: '1-1790000000000000-2',
  kind: 'throttling',
  quota_level: 'own',
  duration_seconds: 0.08,
  container_name: 'invoice-batch',
  skipped: 9,
  shares: [],
})

describe('events', () => {
  it('tell who waited, for how long and who ran meanwhile', async () => {
    answer('/events', aPage([anEvent(), throttled]))
    const { container } = renderApp('/events')
    const row = (await screen.findByRole('link', { name: 'checkout-api' })).closest('tr') as HTMLElement
    expect(row).toHaveTextContent('Neighbor wait')
    expect(row).toHaveTextContent('131 ms')
    expect(within(row).getByRole('link', { name: 'batch-encode' })).toHaveAttribute(
      'href',
      '/containers/1-00000000000000bb',
    )
    expect(
      within(row).getByRole('img', { name: 'Ran meanwhile: batch-encode 98 %, kubelet.service 2 %' }),
    ).toBeInTheDocument()
    const other = screen.getByRole('link', { name: 'invoice-batch' }).closest('tr') as HTMLElement
    expect(other).toHaveTextContent('Own quota')
    expect(other).toHaveTextContent('+9')
    expect(await axeViolations(container)).toEqual([])
  })

  it('keep their filters in the address and ask with them', async () => {
    const seen = answer('/events', aPage([anEvent()], { next_cursor: 'next-1', total: 90 }))
    const { address } = renderApp('/events?container_id=1-00000000000000aa')
    await screen.findByText('batch-encode')
    await userEvent.click(screen.getByRole('radio', { name: 'Throttling' }))
    expect(address()).toBe('/events?container_id=1-00000000000000aa&kind=throttling')
    expect(Object.fromEntries(seen.at(-1) ?? [])).toMatchObject({
      kind: 'throttling',
      container_id: '1-00000000000000aa',
      sort: '-ended_at',
    })
    await userEvent.click(screen.getByRole('button', { name: 'Next page' }))
    expect(address()).toContain('cursor=next-1')
  })

  it('that there are none is good news only where hosts reported', async () => {
    answer('/events', aPage([]))
    const { unmount } = renderApp('/events')
    expect(await screen.findByText('No long wait in this range')).toBeInTheDocument()
    unmount()
    answer('/events', { ...aPage([]), as_of: null })
    const second = renderApp('/events')
    expect(await screen.findByText('No samples in this range')).toBeInTheDocument()
    second.unmount()
    answer('/events', aPage([]))
    const { address } = renderApp('/events?kind=throttling')
    await userEvent.click(await screen.findByRole('button', { name: 'Show all events' }))
    expect(address()).toBe('/events')
  })

  it('are drawn as a skeleton while they load, with a reason when they cannot', async () => {
    answerNever('/events')
    const { unmount } = renderApp('/events')
    expect(await screen.findByRole('table', { name: 'Events' })).toHaveAttribute('aria-busy', 'true')
    unmount()
    answerProblem('/events', 503, 'The database is starting.', 'req-7')
    renderApp('/events')
    expect(await screen.findByRole('alert')).toHaveTextContent('Could not load the events')
  })
})
