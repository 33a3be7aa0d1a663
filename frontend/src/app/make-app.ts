import type { QueryClient } from '@tanstack/react-query'
import type { RouterHistory } from '@tanstack/react-router'
import { sessionQuery } from '@/features/session/session-query'
import { makeQueryClient, shouldRetry } from '@/lib/query-client'
import { makeRouter } from './router'

type Options = { history?: RouterHistory; retry?: typeof shouldRetry | false }

/** Queries and routes that know of each other: a session that ended anywhere leads to the sign-in page and back. */
export function makeApp({ history, retry = shouldRetry }: Options = {}) {
  const queryClient: QueryClient = makeQueryClient(() => {
    const { location } = router.state
    if (location.pathname === '/sign-in') return
    queryClient.removeQueries({ queryKey: sessionQuery.queryKey })
    void router.navigate({ to: '/sign-in', search: { return: location.href } })
  }, retry)
  const router = makeRouter(queryClient, history)
  return { queryClient, router }
}
