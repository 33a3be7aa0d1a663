import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api'

const MAX_RETRIES = 2

/** A question the backend refused will be refused again; only silence and overload are worth a second try. */
export function shouldRetry(failures: number, error: unknown): boolean {
  if (failures >= MAX_RETRIES) return false
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 502
}

export function makeQueryClient(
  onUnauthorized: () => void,
  retry: typeof shouldRetry | false = shouldRetry,
): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof ApiError && error.status === 401) onUnauthorized()
      },
    }),
    defaultOptions: {
      queries: {
        retry,
        staleTime: 2_000,
        refetchIntervalInBackground: false,
      },
    },
  })
}
