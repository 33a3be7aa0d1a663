import { Link } from '@tanstack/react-router'
import type { Schemas } from '@/lib/api'
import { cores, count, cpuSeconds, latency, NO_VALUE, percent } from '@/lib/format'
import { DataTable } from '@/ui/data-table'
import type { Column } from '@/ui/data-table-columns'
import { InlineBar } from '@/ui/inline-bar'
import { StateBox } from '@/ui/state-box'
import styles from './tables.module.css'

type Neighbor = Schemas['NeighborItem']

const columns: Column<Neighbor>[] = [
  {
    id: 'name',
    head: 'Neighbor',
    grow: true,
    cell: (row) => (
      <Link
        to="/containers/$containerId"
        params={{ containerId: row.id }}
        className="link strong"
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
      <Link to="/containers" search={{ host_id: row.host_id }} className="link mono">
        {row.host_name}
      </Link>
    ),
  },
  {
    id: 'stolen',
    head: 'Stolen',
    unit: 'CPU-s',
    align: 'right',
    help: 'Time that tasks of other containers waited on a CPU while this one ran there',
    cell: (row) => <span className="strong">{cpuSeconds(row.stolen_cpu_seconds)}</span>,
  },
  {
    id: 'share',
    head: 'Share',
    level: 3,
    cell: (row) => (
      <span className={styles.share}>
        <InlineBar ratio={row.share_ratio} tone="aggressor" width={72} />
        {percent(row.share_ratio)}
      </span>
    ),
  },
  { id: 'victims', head: 'Victims', align: 'right', level: 2, cell: (row) => count(row.victims) },
  {
    id: 'worst',
    head: 'Worst off',
    level: 2,
    cell: (row) =>
      row.worst_victim ? (
        <Link
          to="/containers/$containerId"
          params={{ containerId: row.worst_victim.id }}
          className={`link ${styles.victim}`}
        >
          {row.worst_victim.name}
        </Link>
      ) : (
        NO_VALUE
      ),
  },
  {
    id: 'worst_p99',
    head: 'Its P99 wait',
    align: 'right',
    cell: (row) => latency(worstP99(row)),
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

/** Without what the victim's own quota did to it. */
function worstP99({ worst_victim: worst }: Neighbor): number | null {
  return worst?.runq_unthrottled_p99_seconds ?? worst?.runq_p99_seconds ?? null
}

/** Using much CPU is no harm by itself: the mark needs a victim that waits. */
function harms(row: Neighbor, waitingFrom: number): boolean {
  return (row.stolen_cpu_seconds ?? 0) > 0 && (worstP99(row) ?? 0) >= waitingFrom
}

type TopNeighborsProps = { rows?: readonly Neighbor[]; waitingFrom?: number; rangeWords?: string }

export function TopNeighbors({
  rows,
  waitingFrom = Number.POSITIVE_INFINITY,
  rangeWords = 'this range',
}: TopNeighborsProps) {
  return (
    <DataTable
      label="Containers that stole CPU time"
      columns={columns}
      rows={rows}
      rowId={(row) => row.id}
      skeletonRows={5}
      isHarmful={(row, index) => index === 0 && harms(row, waitingFrom)}
      empty={
        <StateBox title="No container waited for another">{`Counted over ${rangeWords}, system services apart.`}</StateBox>
      }
    />
  )
}
