import { Link } from '@tanstack/react-router'
import { cores, latencyQuantity, percent, perSecond } from '@/lib/format'
import type { Column } from '@/ui/data-table-columns'
import { Ago } from '@/ui/freshness'
import { InlineBar } from '@/ui/inline-bar'
import { LivenessBadge } from '@/ui/liveness'
import styles from './container-columns.module.css'
import type { ContainerItem } from './containers-query'

const BAR_PX = 56

function Name({ row }: { row: ContainerItem }) {
  return (
    <>
      <Link
        to="/containers/$containerId"
        params={{ containerId: row.id }}
        className={row.kind === 'system' ? 'link mono' : 'link strong'}
        title={row.image ?? row.name}
      >
        {row.name}
      </Link>
      {row.kind === 'system' ? <span className={styles.kind}>system</span> : null}
    </>
  )
}

/** A click narrows the list to this host, or this namespace. */
function Narrow({ by, value, text }: { by: 'host_id' | 'namespace'; value: string; text: string }) {
  return (
    <Link
      from="/containers"
      to="/containers"
      search={(before) => ({ ...before, [by]: value, cursor: undefined })}
      className={by === 'host_id' ? 'link mono' : 'link secondary'}
      title={`Only ${text}`}
    >
      {text}
    </Link>
  )
}

function Latency({ seconds, strong = false }: { seconds: number | null; strong?: boolean }) {
  const { value, unit } = latencyQuantity(seconds)
  return (
    <>
      <span className={strong ? 'strong' : undefined}>{value}</span> <span className="quiet">{unit}</span>
    </>
  )
}

/** No quota, not measured and never throttled are three different things. */
function throttledTitle({ quota_cores, throttled_ratio }: ContainerItem): string | undefined {
  if (throttled_ratio !== null) return undefined
  return quota_cores === null ? 'No CPU quota of its own' : 'Not measured in this range'
}

export const CONTAINER_COLUMNS: readonly Column<ContainerItem>[] = [
  {
    id: 'name',
    head: 'Container',
    grow: true,
    sortable: true,
    sortFirst: 'asc',
    cell: (row) => <Name row={row} />,
  },
  {
    id: 'host_name',
    head: 'Host',
    sortable: true,
    sortFirst: 'asc',
    level: 2,
    cell: (row) => <Narrow by="host_id" value={row.host_id} text={row.host_name} />,
  },
  {
    id: 'namespace',
    head: 'Namespace',
    sortable: true,
    sortFirst: 'asc',
    level: 3,
    cell: (row) =>
      row.namespace === null ? '–' : <Narrow by="namespace" value={row.namespace} text={row.namespace} />,
  },
  {
    id: 'quota_cores',
    head: 'Quota',
    align: 'right',
    sortable: true,
    level: 3,
    help: 'Cores: CFS quota / period',
    cell: (row) => (row.quota_cores === null ? <span className="quiet">none</span> : cores(row.quota_cores)),
  },
  {
    id: 'cpu_used_cores',
    head: 'CPU',
    unit: 'cores',
    help: 'CPU time used per second of the range',
    align: 'right',
    sortable: true,
    level: 3,
    cell: (row) => cores(row.cpu_used_cores),
  },
  {
    id: 'runq_p50_seconds',
    head: 'P50 wait',
    align: 'right',
    sortable: true,
    level: 3,
    help: 'Run queue latency, at most',
    cell: (row) => <Latency seconds={row.runq_p50_seconds} />,
  },
  {
    id: 'runq_p99_seconds',
    head: 'P99 wait',
    align: 'right',
    sortable: true,
    help: 'Run queue latency, at most',
    cell: (row) => <Latency seconds={row.runq_p99_seconds} strong />,
  },
  {
    id: 'wait_ratio',
    head: 'Waited',
    align: 'right',
    sortable: true,
    level: 2,
    help: 'Of demand: the time its tasks ran and the time they were ready and did not',
    cell: (row) => percent(row.wait_ratio),
  },
  {
    id: 'bar',
    head: <span className="visually-hidden">Waited as bar</span>,
    level: 2,
    cell: (row) => <InlineBar ratio={row.wait_ratio} tone="victim" width={BAR_PX} />,
  },
  {
    id: 'preempted_other_per_second',
    head: 'Preempted',
    unit: '/s',
    align: 'right',
    sortable: true,
    level: 2,
    help: 'Switched out for a task of another container while it still wanted to run',
    cell: (row) => perSecond(row.preempted_other_per_second),
  },
  {
    id: 'throttled_ratio',
    head: 'Throttled',
    align: 'right',
    sortable: true,
    help: 'Periods of its own quota in which it ran out',
    cell: (row) => <span title={throttledTitle(row)}>{percent(row.throttled_ratio)}</span>,
  },
  {
    id: 'last_seen_at',
    head: 'Last seen',
    align: 'right',
    sortable: true,
    level: 3,
    cell: (row) => <LastSeen row={row} />,
  },
]

function LastSeen({ row }: { row: ContainerItem }) {
  if (row.host_state !== 'live') {
    return <LivenessBadge state={row.host_state} lastSeenAt={row.last_seen_at} />
  }
  return row.last_seen_at === null ? '–' : <Ago at={row.last_seen_at} suffix=" ago" />
}
