import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router'
import { type RenderResult, render } from '@testing-library/react'
import axe from 'axe-core'
import type { ReactNode } from 'react'
import { makeQueryClient } from '@/lib/query-client'
import { parseSearch, writeSearch } from '@/lib/url-state'

type Rendered = RenderResult & { address: () => string }

/** Draws a view inside a router and a query client, at an address. Failed requests are not repeated. */
export function renderView(view: ReactNode, address = '/'): Rendered {
  const root = createRootRoute({ component: Outlet })
  const any = createRoute({ getParentRoute: () => root, path: '$', component: () => view })
  const index = createRoute({ getParentRoute: () => root, path: '/', component: () => view })
  const history = createMemoryHistory({ initialEntries: [address] })
  const router = createRouter({
    routeTree: root.addChildren([index, any]),
    history,
    parseSearch,
    stringifySearch: writeSearch,
    defaultPendingMinMs: 0,
  })
  const client = makeQueryClient(() => undefined, false)
  const result = render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>,
  )
  return Object.assign(result, { address: () => history.location.href })
}

/** Ids of the WCAG rules a drawn view breaks; colours need a real browser and are checked there. */
export async function axeViolations(element: Element): Promise<string[]> {
  const { violations } = await axe.run(element, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    rules: { 'color-contrast': { enabled: false } },
  })
  return violations.map(
    (violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(' ')}`,
  )
}
