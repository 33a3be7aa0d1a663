import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { z } from 'zod'
import { sessionQuery } from '@/features/session/session-query'
import { returnPath, signIn, takeToken } from '@/features/session/sign-in'
import { ApiError } from '@/lib/api'
import { shellSearch, tableSearch } from '@/lib/url-state'
import { Frame } from './frame'
import { NotFound, PageFailed } from './page-failed'

type Context = { queryClient: QueryClient }

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFound,
  validateSearch: shellSearch,
  search: { middlewares: [retainSearchParams(['from', 'to', 'tz', 'refresh'])] },
})

/** Everything behind the sign-in. A backend that does not answer is the frame's to tell, not a reason to sign in. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  component: Frame,
  errorComponent: PageFailed,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData({ ...sessionQuery, retry: false })
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        throw redirect({ to: '/sign-in', search: { return: location.href } })
      }
    }
  },
})

const overview = createRoute({
  getParentRoute: () => frame,
  path: '/',
  staticData: { title: 'Overview' },
  component: lazyRouteComponent(() => import('@/pages/overview-page'), 'OverviewPage'),
})

const containers = createRoute({
  getParentRoute: () => frame,
  path: '/containers',
  staticData: { title: 'Containers' },
  validateSearch: tableSearch.extend({
    host_id: z.coerce.string().optional().catch(undefined),
    kind: z.enum(['container', 'system', 'all']).optional().catch(undefined),
    namespace: z.coerce.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('@/pages/containers-page'), 'ContainersPage'),
})

const container = createRoute({
  getParentRoute: () => frame,
  path: '/containers/$containerId',
  staticData: { title: 'Container' },
  validateSearch: z.object({ scale: z.enum(['linear']).optional().catch(undefined) }),
  component: lazyRouteComponent(() => import('@/pages/container-page'), 'ContainerPage'),
})

const hosts = createRoute({
  getParentRoute: () => frame,
  path: '/hosts',
  staticData: { title: 'Hosts' },
  validateSearch: tableSearch,
  component: lazyRouteComponent(() => import('@/pages/hosts-page'), 'HostsPage'),
})

const neighbors = createRoute({
  getParentRoute: () => frame,
  path: '/neighbors',
  staticData: { title: 'Neighbors' },
  validateSearch: tableSearch.extend({ host_id: z.coerce.string().optional().catch(undefined) }),
  component: lazyRouteComponent(() => import('@/pages/neighbors-page'), 'NeighborsPage'),
})

const events = createRoute({
  getParentRoute: () => frame,
  path: '/events',
  staticData: { title: 'Events' },
  validateSearch: tableSearch.extend({
    kind: z.enum(['noisy_neighbor', 'throttling']).optional().catch(undefined),
    host_id: z.coerce.string().optional().catch(undefined),
    container_id: z.coerce.string().optional().catch(undefined),
    aggressor_id: z.coerce.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('@/pages/events-page'), 'EventsPage'),
})

const agents = createRoute({
  getParentRoute: () => frame,
  path: '/agents',
  staticData: { title: 'Agents' },
  validateSearch: tableSearch,
  component: lazyRouteComponent(() => import('@/pages/agents-page'), 'AgentsPage'),
})

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  staticData: { title: 'Sign in' },
  validateSearch: z.object({ return: z.string().optional().catch(undefined) }),
  preload: false,
  // A loader, not an effect: a link works once, and effects may run twice.
  loader: async ({ context, location }) => {
    const token = takeToken()
    if (token === null) return { problem: null }
    try {
      context.queryClient.setQueryData(sessionQuery.queryKey, await signIn(token))
    } catch (error) {
      return { problem: error instanceof ApiError ? error : new ApiError(String(error), 0, null) }
    }
    throw redirect({ href: returnPath((location.search as { return?: unknown }).return), replace: true })
  },
  component: lazyRouteComponent(() => import('@/pages/sign-in-page'), 'SignInPage'),
})

export const routeTree = root.addChildren([
  signInRoute,
  frame.addChildren([overview, containers, container, hosts, neighbors, events, agents]),
])
