import type { UseQueryResult } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { isUnreachable } from '@/lib/api'
import { Button } from './button'
import styles from './query-state.module.css'
import { ErrorBox } from './state-box'

const SLOW_AFTER_MS = 5_000

type QueryStateProps<T> = {
  query: UseQueryResult<T, Error>
  /** What is loaded, as it stands after "Could not load". */
  what: string
  /** The same size as the filled view, so that nothing moves. */
  skeleton: ReactNode
  children: (data: T) => ReactNode
  /** The card or page around a failure, where the filled view brings its own. */
  around?: (failure: ReactNode) => ReactNode
}

/** Loading, failed, old and filled of one request. Empty is for the view: only it knows what empty means. */
export function QueryState<T>({
  query,
  what,
  skeleton,
  children,
  around = (failure) => failure,
}: QueryStateProps<T>) {
  const failure = useLastError(query)
  if (query.data !== undefined) {
    return (
      <div
        className={query.isPlaceholderData ? styles.old : styles.current}
        aria-busy={query.isPlaceholderData}
      >
        {query.isPlaceholderData ? <div className={styles.thinBar} /> : null}
        {/* A backend that is gone is told once, by the frame, not by every card. */}
        {query.isError && !isUnreachable(query.error) ? (
          <RefreshFailed error={query.error} onRetry={query.refetch} />
        ) : null}
        {children(query.data)}
      </div>
    )
  }
  if (failure) {
    return around(
      <ErrorBox
        error={failure}
        what={what}
        retrying={query.isFetching}
        onRetry={() => void query.refetch()}
      />,
    )
  }
  return (
    <div aria-busy="true" className={styles.loading}>
      <span className="visually-hidden">Loading {what}</span>
      {skeleton}
      <StillWorking what={what} onRetry={query.refetch} />
    </div>
  )
}

/** A query that failed counts as loading again during each further try; the reader keeps the reason meanwhile. */
function useLastError<T>({ error, errorUpdateCount }: UseQueryResult<T, Error>): Error | null {
  const [last, setLast] = useState(error)
  if (error && error !== last) setLast(error)
  return error ?? (errorUpdateCount > 0 ? last : null)
}

function RefreshFailed({ error, onRetry }: { error: Error; onRetry: () => unknown }) {
  return (
    <p className={styles.failed} role="status">
      <TriangleAlert size={14} strokeWidth={1.75} aria-hidden />
      <span>Not refreshed, older figures shown. {error.message}</span>
      <button type="button" className="text-link" onClick={() => onRetry()}>
        Retry
      </button>
    </p>
  )
}

function StillWorking({ what, onRetry }: { what: string; onRetry: () => unknown }) {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!slow) return null
  return (
    <div className={styles.slow} role="status">
      Still loading {what}
      <Button size="small" onClick={() => onRetry()}>
        Ask again
      </Button>
    </div>
  )
}
