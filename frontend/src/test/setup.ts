import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import { server } from './server'

// A page's code is loaded on first use, which takes its time on a busy machine.
configure({ asyncUtilTimeout: 8_000 })

// jsdom lays nothing out and has neither of these; Mantine and the tables ask for them.
Object.defineProperty(window, 'matchMedia', {
  value: (query: string) => ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
    dispatchEvent: () => false,
    onchange: null,
  }),
})

class NoResizeObserver implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
vi.stubGlobal('ResizeObserver', NoResizeObserver)
window.scrollTo = () => undefined
// Nothing is drawn either: a chart waits for a size, and its hatching for a pen.
HTMLCanvasElement.prototype.getContext = () => null
Element.prototype.scrollIntoView = () => undefined

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  cleanup()
  server.resetHandlers()
  window.history.replaceState(null, '', '/')
})
afterAll(() => server.close())
