import { Check, CircleDashed, ClockAlert } from 'lucide-react'
import { Badge } from './badge'
import { Ago } from './freshness'

type Liveness = { state: 'live' | 'stale' | 'never'; lastSeenAt?: string | null }

/** Whether something still reports. Live is calm grey; silence says for how long. */
export function LivenessBadge({ state, lastSeenAt }: Liveness) {
  if (state === 'live') {
    return (
      <Badge tone="neutral" icon={Check}>
        Live
      </Badge>
    )
  }
  if (state === 'never') {
    return (
      <Badge tone="outline" icon={CircleDashed} title="Enrolled, but no window has arrived yet">
        No data yet
      </Badge>
    )
  }
  return (
    <Badge tone="warn" icon={ClockAlert} title="No window for more than 2 min">
      <span>
        Stale
        {lastSeenAt ? <Ago at={lastSeenAt} prefix=", " /> : null}
      </span>
    </Badge>
  )
}
