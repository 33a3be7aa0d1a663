import { Link } from '@tanstack/react-router'
import { count, latency, NO_VALUE, percent, perSecond } from '@/lib/format'
import { DataTable } from '@/ui/data-table'
import type { Column } from '@/ui/data-table-columns'
import { InlineBar } from '@/ui/inline-bar'
import { LivenessBadge } from '@/ui/liveness'
import { StateBox } from '@/ui/state-box'
import { allFacts, machine, topology } from './host-facts'
import type { HostItem } from './hosts-query'
import styles from './hosts-table.module.css'

const columns: Column<HostItem>[] = [
  {
    id: 'name',
    head: 'Host',
    sortable: true,
    sortFirst: 'asc',
    grow: true,
    cell: (row) => (
      <Link
        to="/containers"
        search={{ host_id: row.id }}
        className="link mono strong"
        title={`Containers of ${row.name}`}
      >
        {row.name}
      </Link>
    ),
  },
  {
    id: 'state',
    head: 'State',
    cell: (row) => <LivenessBadge state={row.state} lastSeenAt={row.last_seen_at} />,
  },
  {
    id: 'instance_family',
    head: 'Type',
    level: 3,
    sortable: true,
    sortFirst: 'asc',
    cell: (row) => (
      <span className={styles.machine} title={machine(row)}>
        {machine(row)}
      </span>
    ),
  },
  { id: 'cpus', head: 'CPUs', align: 'right', level: 2, sortable: true, cell: (row) => count(row.cpus) },
  {
    id: 'topology',
    head: 'Topology',
    level: 3,
    cell: (row) => (
      <span className="secondary" title={allFacts(row)}>
        {topology(row)}
      </span>
    ),
  },
  {
    id: 'kernel_release',
    head: 'Kernel',
    level: 3,
    sortable: true,
    sortFirst: 'asc',
    cell: (row) => <span className="mono secondary">{row.kernel_release ?? NO_VALUE}</span>,
  },
  {
    id: 'containers',
    head: 'Containers',
    align: 'right',
    level: 2,
    sortable: true,
    cell: (row) => count(row.containers),
  },
  {
    id: 'cpu_used_ratio',
    head: 'CPU used',
    align: 'right',
    level: 2,
    sortable: true,
    help: 'Busy time of all CPUs',
    cell: (row) => (
      <span className={styles.used}>
        <InlineBar ratio={row.cpu_used_ratio} tone="ran" width={48} />
        <span className={styles.percent}>{percent(row.cpu_used_ratio)}</span>
      </span>
    ),
  },
  {
    id: 'steal_ratio',
    head: 'Steal',
    align: 'right',
    level: 3,
    sortable: true,
    help: 'Time the hypervisor gave to other guests',
    cell: (row) => percent(row.steal_ratio),
  },
  {
    id: 'runq_p99_seconds',
    head: 'P99 wait',
    align: 'right',
    sortable: true,
    help: 'Run queue latency of all its containers: 99 % of waits were at most this long',
    cell: (row) => <span className="strong">{latency(row.runq_p99_seconds)}</span>,
  },
  {
    id: 'preempted_by_neighbors_per_second',
    head: 'By neighbors',
    unit: '/s',
    align: 'right',
    level: 2,
    sortable: true,
    help: 'Times per second a container was taken off a CPU for another container',
    cell: (row) => perSecond(row.preempted_by_neighbors_per_second),
  },
]

type HostsTableProps = {
  rows?: readonly HostItem[]
  sort?: string
  onSort?: (sort: string) => void
  filter?: string
  onClearFilter?: () => void
}

export function HostsTable({ rows, sort, onSort, filter, onClearFilter }: HostsTableProps) {
  const empty = filter ? (
    <StateBox
      title={`No host has “${filter}” in its name`}
      action={
        <button type="button" className="text-link" onClick={onClearFilter}>
          Show all hosts
        </button>
      }
    />
  ) : (
    <StateBox title="No host is enrolled">
      <Link to="/" className="text-link">
        Connect the first host
      </Link>
    </StateBox>
  )
  return (
    <DataTable
      label="Hosts"
      columns={columns}
      rows={rows}
      rowId={(row) => row.id}
      sort={sort}
      onSort={onSort}
      skeletonRows={10}
      empty={empty}
    />
  )
}
