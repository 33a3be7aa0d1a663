import { Link } from '@tanstack/react-router'
import type { Schemas } from '@/lib/api'
import { cores, latency, NO_VALUE, percent, perSecond } from '@/lib/format'
import { DataTable } from '@/ui/data-table'
import type { Column } from '@/ui/data-table-columns'
import { LivenessBadge } from '@/ui/liveness'
import { SplitBar } from '@/ui/split-bar'
import { NoSamples } from '@/ui/state-box'
import styles from './tables.module.css'

type Container = Schemas['ContainerItem']

function Demand({ row }: { row: Container }) {
  const { ran_seconds: ran, wait_seconds: waited } = row
  const parts =
    ran === null || waited === null
      ? []
      : [
          { part: 'ran' as const, name: 'ran', value: ran, text: `${ran.toFixed(1)} CPU-s` },
          { part: 'victim' as const, name: 'waited', value: waited, text: `${waited.toFixed(1)} CPU-s` },
        ]
  return <SplitBar parts={parts} label={row.name} height={8} />
}

const columns = (waitingFrom: number, throttledFrom: number): Column<Container>[] => [
  {
    id: 'name',
    head: 'Container',
    grow: true,
    cell: (row) => (
      <Link
        to="/containers/$containerId"
        params={{ containerId: row.id }}
        className={`link strong ${row.kind === 'system' ? 'mono' : ''}`}
        title={row.name}
      >
        {row.name}
      </Link>
    ),
  },
  {
    id: 'host',
    head: 'Host',
    level: 2,
    cell: (row) => (
      <span className={styles.host}>
        <Link to="/containers" search={{ host_id: row.host_id }} className="link mono">
          {row.host_name}
        </Link>
        {row.host_state === 'live' ? null : <LivenessBadge state={row.host_state} />}
      </span>
    ),
  },
  {
    id: 'p99',
    head: 'P99 wait',
    align: 'right',
    help: 'Run queue latency: 99 % of waits were at most this long',
    cell: (row) => (
      <span className={(row.runq_p99_seconds ?? 0) >= waitingFrom ? 'strong' : 'secondary'}>
        {latency(row.runq_p99_seconds)}
      </span>
    ),
  },
  {
    id: 'waited',
    head: 'Waited of demand',
    align: 'right',
    level: 2,
    cell: (row) => percent(row.wait_ratio),
  },
  {
    id: 'bar',
    head: <span className="visually-hidden">Ran and waited</span>,
    level: 2,
    cell: (row) => (
      <div className={styles.bar}>
        <Demand row={row} />
      </div>
    ),
  },
  {
    id: 'others',
    head: 'Preempted',
    unit: '/s',
    align: 'right',
    help: 'Times per second another container took its CPU',
    cell: (row) => perSecond(row.preempted_other_per_second),
  },
  {
    id: 'throttled',
    head: 'Throttled',
    align: 'right',
    level: 2,
    help: 'Share of its quota periods in which it was throttled',
    cell: (row) =>
      row.throttled_ratio === null ? (
        <span className="quiet" title={row.quota_cores === null ? 'No quota' : 'No samples'}>
          {row.quota_cores === null && row.ran_seconds !== null ? 'no quota' : NO_VALUE}
        </span>
      ) : (
        <span className={row.throttled_ratio > throttledFrom ? styles.throttled : 'secondary'}>
          {percent(row.throttled_ratio)}
        </span>
      ),
  },
  {
    id: 'cores',
    head: 'CPU',
    unit: 'cores',
    align: 'right',
    level: 3,
    cell: (row) => cores(row.cpu_used_cores),
  },
]

type WorstContainersProps = { rows?: readonly Container[]; waitingFrom?: number; throttledFrom?: number }

export function WorstContainers({
  rows,
  waitingFrom = Number.POSITIVE_INFINITY,
  throttledFrom = Number.POSITIVE_INFINITY,
}: WorstContainersProps) {
  return (
    <DataTable
      label="Containers that waited longest"
      columns={columns(waitingFrom, throttledFrom)}
      rows={rows}
      rowId={(row) => row.id}
      empty={
        <NoSamples title="No container ran in this range">
          <Link to="/containers" className="text-link">
            All containers
          </Link>
        </NoSamples>
      }
    />
  )
}
