import { createMemoryHistory } from '@tanstack/react-router'
import { type RenderResult, render } from '@testing-library/react'
import { App } from '@/app/app'
import { makeApp } from '@/app/make-app'
import { anOverview } from './fixtures'
import { answer } from './server'

type Options = { role?: 'admin' | 'viewer'; overview?: Parameters<typeof anOverview>[0] }

/** What every page asks for: who is there, and how the fleet is. */
export function answerFrame({ role = 'admin', overview = {} }: Options = {}): void {
  answer('/session', { user: { name: 'on-call', role }, version: '0.1.0', simulated: false })
  answer('/overview', anOverview(overview))
}

/** The whole dashboard at an address. Failed requests are not repeated. */
export function renderApp(address: string): RenderResult & { address: () => string } {
  const history = createMemoryHistory({ initialEntries: [address] })
  const result = render(<App {...makeApp({ history, retry: false })} env="test" />)
  return Object.assign(result, { address: () => history.location.href })
}

/** As `renderApp`, at the address of the window: for what reads the fragment. */
export function renderAppInWindow(address: string): RenderResult {
  window.history.replaceState(null, '', address)
  return render(<App {...makeApp({ retry: false })} env="test" />)
}
