import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Overview } from '@/features/fleet/fleet-query'
import { isUnreachable } from '@/lib/api'
import { clockTime } from '@/lib/clock'
import { count } from '@/lib/format'
import { useShell } from '@/lib/shell'
import styles from './status-banner.module.css'

/** One line under the top bar that says what is missing from the figures below. */
export function StatusBanner({ fleet }: { fleet: UseQueryResult<Overview, Error> }) {
  const { zone } = useShell()
  if (fleet.isError) {
    const asOf = fleet.data?.as_of ? ` Figures below are as of ${clockTime(fleet.data.as_of, zone)}.` : ''
    const what = isUnreachable(fleet.error)
      ? 'The backend does not answer.'
      : `The state of the hosts is unknown: ${fleet.error.message}`
    return (
      <Banner>
        {what}
        {asOf}
        <button type="button" className="text-link" onClick={() => void fleet.refetch()}>
          Ask again
        </button>
      </Banner>
    )
  }
  const stale = fleet.data?.hosts_stale ?? 0
  if (!fleet.data || stale === 0) return null
  const one = stale === 1
  return (
    <Banner>
      {count(stale)} of {count(fleet.data.hosts_known)} {fleet.data.hosts_known === 1 ? 'agent' : 'agents'}{' '}
      {one ? 'is' : 'are'} silent for more than 2 min. Figures below exclude {one ? 'it' : 'them'} from then
      on.
      <Link to="/agents" search={{ sort: 'last_seen_at' }} className="text-link">
        Show agents
      </Link>
    </Banner>
  )
}

function Banner({ children }: { children: ReactNode }) {
  return (
    <div className={styles.banner} role="status">
      <TriangleAlert size={15} strokeWidth={1.75} aria-hidden />
      <p className={styles.text}>{children}</p>
    </div>
  )
}
