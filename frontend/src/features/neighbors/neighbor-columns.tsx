import { Link } from '@tanstack/react-router'
import { cores, count, cpuSeconds, latencyQuantity, percent } from '@/lib/format'
import type { Column } from '@/ui/data-table-columns'
import { InlineBar } from '@/ui/inline-bar'
import styles from './neighbor-columns.module.css'
import type { NeighborItem } from './neighbors-query'
import { StolenFrom } from './stolen-from'

const BAR_PX = 60

function ContainerLink({ id, name, className }: { id: string; name: string; className: string }) {
  return (
    <Link to="/containers/$containerId" params={{ containerId: id }} className={`link ${className}`}>
      {name}
    </Link>
  )
}

function MostHarmed({ row }: { row: NeighborItem }) {
  const most = row.top_victims[0]
  if (!most) return '–'
  return (
    <span className={styles.most}>
      <ContainerLink id={most.id} name={most.name} className={`secondary ${styles.name}`} />{' '}
      <span className="secondary">{percent(most.share_ratio, 0)}</span>
    </span>
  )
}

/** The victim with the highest P99 in range, throttling left out; its name is in the title, its page one click away. */
function WorstP99({ row }: { row: NeighborItem }) {
  const worst = row.worst_victim
  if (!worst) return '–'
  const { value, unit } = latencyQuantity(worst.runq_unthrottled_p99_seconds ?? worst.runq_p99_seconds)
  return (
    <Link
      to="/containers/$containerId"
      params={{ containerId: worst.id }}
      className="link"
      title={worst.name}
      aria-label={`${value} ${unit}, ${worst.name}`}
    >
      {value} <span className="quiet">{unit}</span>
    </Link>
  )
}

/** Of the largest in the list, which fills the bar. */
function share(value: number, most: number): number {
  return most === 0 ? 0 : value / most
}

/** Columns of the ranking; containers and system services have a scale each, as they are never compared. */
export function neighborColumns(most: {
  container: number
  system: number
}): readonly Column<NeighborItem>[] {
  return [
    {
      id: 'rank',
      head: <span className="visually-hidden">Rank</span>,
      align: 'right',
      cell: (row) => (row.kind === 'system' ? null : <span className="secondary">{row.rank}</span>),
    },
    {
      id: 'name',
      head: 'Neighbor',
      grow: true,
      sortable: true,
      sortFirst: 'asc',
      cell: (row) => (
        <ContainerLink id={row.id} name={row.name} className={row.kind === 'system' ? 'mono' : 'strong'} />
      ),
    },
    {
      id: 'host_name',
      head: 'Host',
      sortable: true,
      sortFirst: 'asc',
      level: 2,
      cell: (row) => <span className="mono secondary">{row.host_name}</span>,
    },
    {
      id: 'stolen_cpu_seconds',
      head: 'Stolen',
      unit: 'CPU-s',
      align: 'right',
      sortable: true,
      help: 'Time that tasks of other containers waited on a CPU while this one ran there',
      cell: (row) => (
        <span className="strong" title={`${count(row.preemptions)} preemptions`}>
          {cpuSeconds(row.stolen_cpu_seconds)}
        </span>
      ),
    },
    {
      id: 'bar',
      head: <span className="visually-hidden">Stolen as bar</span>,
      level: 2,
      cell: (row) => (
        <InlineBar
          ratio={row.stolen_cpu_seconds === null ? null : share(row.stolen_cpu_seconds, most[row.kind])}
          tone={row.kind === 'system' ? 'system' : 'aggressor'}
          width={BAR_PX}
        />
      ),
    },
    {
      id: 'stolen_cpu_seconds_per_hour',
      head: 'Per hour',
      unit: 'CPU-s',
      align: 'right',
      level: 3,
      cell: (row) => cpuSeconds(row.stolen_cpu_seconds_per_hour),
    },
    { id: 'share_ratio', head: 'Share', align: 'right', level: 2, cell: (row) => percent(row.share_ratio) },
    {
      id: 'stolen_from',
      head: 'Taken from',
      level: 3,
      cell: (row) => <StolenFrom victims={row.top_victims} />,
    },
    { id: 'most_harmed', head: 'Most from', level: 3, cell: (row) => <MostHarmed row={row} /> },
    {
      id: 'victims',
      head: 'Victims',
      align: 'right',
      sortable: true,
      level: 2,
      cell: (row) => count(row.victims),
    },
    {
      id: 'worst_p99',
      head: 'Worst P99',
      align: 'right',
      level: 2,
      help: 'Highest run queue latency P99 of a victim in range without its throttling, at most',
      cell: (row) => <WorstP99 row={row} />,
    },
    {
      id: 'cpu_used_cores',
      head: 'CPU',
      unit: 'cores',
      align: 'right',
      level: 3,
      cell: (row) => cores(row.cpu_used_cores),
    },
  ]
}
