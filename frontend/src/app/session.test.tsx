import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { answerFrame, renderApp, renderAppInWindow } from '@/test/app'
import { aHost, aPage } from '@/test/fixtures'
import { axeViolations } from '@/test/render'
import { answer, answerProblem, server } from '@/test/server'

beforeEach(() => {
  answerFrame()
  answer('/hosts', aPage([aHost()]))
})

const hostsShown = () => screen.findByRole('link', { name: 'i-0a1b4c7d2e' })

describe('the session', () => {
  const TOKEN = 'nwl_abcdefghijklmnopqrstuvwxyz0123456789'

  it('that is missing leads to the sign-in page with the way back', async () => {
    answerProblem('/session', 401, 'Sign in first.')
    const { address } = renderApp('/hosts?from=now-6h')
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeInTheDocument()
    expect(new URL(address(), 'http://x').searchParams.get('return')).toBe('/hosts?from=now-6h')
    expect(screen.getByText('neighborwatch sign-in-link')).toBeInTheDocument()
  })

  it('that ends while a page is open leads there too', async () => {
    renderApp('/hosts')
    await hostsShown()
    answerProblem('/hosts', 401, 'The session has ended.')
    answerProblem('/session', 401, 'The session has ended.')
    await userEvent.keyboard('r')
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeInTheDocument()
  })

  it('starts with a link, once, and goes back to where it was wanted', async () => {
    const tokens: unknown[] = []
    server.use(
      http.post('http://dashboard.test/api/v1/session', async ({ request }) => {
        tokens.push(await request.json())
        return HttpResponse.json(
          { user: { name: 'on-call', role: 'admin' }, version: '0.1.0', simulated: false },
          { status: 201 },
        )
      }),
    )
    renderAppInWindow(`/sign-in?return=%2Fhosts%3Fq%3Di-0#token=${TOKEN}`)
    await hostsShown()
    expect(tokens).toEqual([{ link_token: TOKEN }])
    expect(window.location.href).toBe('http://dashboard.test/hosts?q=i-0')
  })

  it('says what to do when the link was used before', async () => {
    server.use(
      http.post('http://dashboard.test/api/v1/session', () =>
        HttpResponse.json(
          { detail: 'This link has expired or was used.', request_id: 'req-5' },
          { status: 401 },
        ),
      ),
    )
    const { container } = renderAppInWindow(`/sign-in#token=${TOKEN}`)
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('This link has expired or was used.')
    expect(alert).toHaveTextContent('req-5')
    expect(window.location.hash).toBe('')
    expect(await axeViolations(container)).toEqual([])
  })

  it('refuses to try what is no link', async () => {
    renderAppInWindow('/sign-in')
    await userEvent.type(await screen.findByLabelText('Or paste the link'), 'hello{Enter}')
    expect(screen.getByLabelText('Or paste the link')).toHaveAccessibleDescription(
      /A link ends in #token=nwl_/,
    )
  })

  it('ends by the account menu', async () => {
    server.use(
      http.delete('http://dashboard.test/api/v1/session', () => new HttpResponse(null, { status: 204 })),
    )
    renderApp('/hosts')
    await hostsShown()
    await userEvent.click(screen.getByRole('button', { name: /on-call/ }))
    answerProblem('/session', 401, 'Sign in first.')
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Sign out' }))
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeInTheDocument()
  })
})
