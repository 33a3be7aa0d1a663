import { Link } from '@tanstack/react-router'
import { ArrowLeftRight, Gauge } from 'lucide-react'
import { fullTime, type Zone } from '@/lib/clock'
import { count, latencyQuantity, percent } from '@/lib/format'
import { Badge } from '@/ui/badge'
import type { Column } from '@/ui/data-table-columns'
import { type Part, SplitBar } from '@/ui/split-bar'
import styles from './event-columns.module.css'
import type { EventItem } from './events-query'

type Share = EventItem['shares'][number]

const PART: Record<Share['who'], Part> = {
  self: 'self',
  container: 'aggressor',
  system: 'system',
  idle: 'idle',
  unattributed: 'unattributed',
}

function Kind({ row }: { row: EventItem }) {
  if (row.kind === 'noisy_neighbor') {
    return (
      <Badge tone="aggressor" icon={ArrowLeftRight} title={row.sentence}>
        Neighbor wait
      </Badge>
    )
  }
  const whose = row.quota_level === 'ancestor' ? 'Quota above' : 'Own quota'
  return (
    <Badge tone="quota" icon={Gauge} title={row.sentence}>
      {whose}
    </Badge>
  )
}

function Lasted({ row }: { row: EventItem }) {
  const { value, unit } = latencyQuantity(row.duration_seconds)
  return (
    <span className="strong">
      {value} <span className="quiet">{unit}</span>
    </span>
  )
}

/** The worst of those who ran meanwhile by name; the bar shows all of them. */
function RanMeanwhile({ row }: { row: EventItem }) {
  const first = row.shares[0]
  if (row.kind === 'throttling' || first === undefined) return <span className="quiet">–</span>
  const parts = row.shares.map((share) => ({
    part: PART[share.who],
    name: share.name,
    value: share.seconds,
    text: percent(share.ratio, 0),
  }))
  return (
    <span className={styles.meanwhile}>
      <span className={styles.bar}>
        <SplitBar label="Ran meanwhile" parts={parts} height={8} />
      </span>
      {first.id === null ? (
        <span className="secondary">{first.name}</span>
      ) : (
        <Link
          to="/containers/$containerId"
          params={{ containerId: first.id }}
          className={`link ${first.who === 'system' ? 'mono' : ''}`}
        >
          {first.name}
        </Link>
      )}{' '}
      <span className="secondary">{percent(first.ratio, 0)}</span>
    </span>
  )
}

export function eventColumns(zone: Zone): readonly Column<EventItem>[] {
  return [
    {
      id: 'ended_at',
      head: 'Ended',
      sortable: true,
      cell: (row) => <span className="num secondary">{fullTime(row.ended_at, zone)}</span>,
    },
    { id: 'kind', head: 'What', level: 2, cell: (row) => <Kind row={row} /> },
    {
      id: 'container',
      head: 'Waited',
      grow: true,
      cell: (row) => (
        <Link
          to="/containers/$containerId"
          params={{ containerId: row.container_id }}
          className={`link ${row.container_kind === 'system' ? 'mono' : 'strong'}`}
          title={row.sentence}
        >
          {row.container_name}
        </Link>
      ),
    },
    {
      id: 'duration_seconds',
      head: 'For',
      align: 'right',
      sortable: true,
      cell: (row) => <Lasted row={row} />,
    },
    { id: 'shares', head: 'Ran meanwhile', level: 2, cell: (row) => <RanMeanwhile row={row} /> },
    {
      id: 'cpu',
      head: 'CPU',
      align: 'right',
      level: 3,
      cell: (row) => <span className="secondary">{count(row.cpu)}</span>,
    },
    {
      id: 'comm',
      head: 'Task',
      level: 3,
      cell: (row) => (
        <span className="mono secondary" title={`thread ${row.pid}`}>
          {row.comm}
        </span>
      ),
    },
    {
      id: 'host',
      head: 'Host',
      level: 3,
      cell: (row) => (
        <Link to="/events" search={{ host_id: row.host_id }} className="link mono secondary">
          {row.host_name}
        </Link>
      ),
    },
    {
      id: 'skipped',
      head: 'Not told',
      align: 'right',
      level: 3,
      help: 'Like waits of this container just before, which the limit of one event a second left out',
      cell: (row) => <span className="secondary">{row.skipped === 0 ? '' : `+${count(row.skipped)}`}</span>,
    },
  ]
}
