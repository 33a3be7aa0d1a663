import { Link } from '@tanstack/react-router'
import type { Zone } from '@/lib/clock'
import { bytes, count, decimal, latency, NO_VALUE, percent } from '@/lib/format'
import { DataTable } from '@/ui/data-table'
import type { Column } from '@/ui/data-table-columns'
import { Ago } from '@/ui/freshness'
import { LivenessBadge } from '@/ui/liveness'
import { StateBox } from '@/ui/state-box'
import type { AgentItem } from './agents-query'
import styles from './agents-table.module.css'
import { Collectors, Lost, lostRecords } from './collectors'

/** Windows are 10 s long: beyond half of one, samples of hosts no longer line up. */
const SKEW_LIMIT_SECONDS = 5

function Skew({ seconds }: { seconds: number | null }) {
  if (seconds === null) return NO_VALUE
  const words = `${seconds < 0 ? '−' : ''}${latency(Math.abs(seconds))}`
  return Math.abs(seconds) >= SKEW_LIMIT_SECONDS ? (
    <span className={styles.warn} title={`Set this host's clock: more than ${SKEW_LIMIT_SECONDS} s off`}>
      {words}
    </span>
  ) : (
    <span className="secondary">{words}</span>
  )
}

function Spool({ cost }: { cost: AgentItem['cost'] }) {
  if (!cost?.spool_batches)
    return <span className="secondary">{cost?.spool_batches === 0 ? '0' : NO_VALUE}</span>
  return (
    <span title={bytes(cost.spool_bytes)}>
      {count(cost.spool_batches)} <span className="quiet">batches</span>
    </span>
  )
}

/** How it is known stands beside it: a word, not a colour. */
function NsPerRun({ cost }: { cost: AgentItem['cost'] }) {
  if (cost === null || cost.bpf_ns_per_run === null) return NO_VALUE
  const programs = cost.programs
    .map((one) => `${one.name} ${decimal(one.ns_per_run)} ns × ${count(one.runs_per_second)}/s`)
    .join(', ')
  return (
    <span title={programs}>
      {decimal(cost.bpf_ns_per_run)} <span className="quiet">{cost.method ?? 'not said how'}</span>
    </span>
  )
}

/** Against its budget; a governor that switched something off is told in the collectors' cell. */
function Spent({ cost }: { cost: AgentItem['cost'] }) {
  if (cost === null || cost.spent_ratio === null) return NO_VALUE
  const budget = cost.budget_ratio === null ? 'no budget set' : `of ${percent(cost.budget_ratio, 2)} allowed`
  const process = `agent process ${percent(cost.cpu_ratio, 2)} of one CPU`
  return (
    <span title={`${budget}; ${process}`}>
      {percent(cost.spent_ratio, 3)} <span className="quiet">{budget}</span>
    </span>
  )
}

const columns = (zone: Zone): Column<AgentItem>[] => [
  {
    id: 'host_name',
    head: 'Host',
    sortable: true,
    sortFirst: 'asc',
    cell: (row) => (
      <Link to="/containers" search={{ host_id: row.host_id }} className="link mono strong">
        {row.host_name}
      </Link>
    ),
  },
  {
    id: 'state',
    head: 'State',
    cell: (row) => <LivenessBadge state={row.state} lastSeenAt={row.last_seen_at} />,
  },
  {
    id: 'last_seen_at',
    head: 'Last seen',
    align: 'right',
    level: 2,
    sortable: true,
    sortFirst: 'asc',
    cell: (row) => (row.last_seen_at ? <Ago at={row.last_seen_at} zone={zone} suffix=" ago" /> : NO_VALUE),
  },
  {
    id: 'collectors',
    head: 'Collectors',
    grow: true,
    level: 2,
    cell: (row) => <Collectors collectors={row.collectors} cost={row.cost} />,
  },
  {
    id: 'bpf',
    head: 'BPF',
    unit: 'ns/run',
    align: 'right',
    level: 3,
    help: 'Time of one run of a BPF program: measured by the kernel in short slices, or estimated from what a run cost at start',
    cell: (row) => <NsPerRun cost={row.cost} />,
  },
  {
    id: 'cost',
    head: 'Costs',
    unit: 'of the host',
    align: 'right',
    help: 'CPU time of BPF programs and agent process, of all CPUs of the host',
    cell: (row) => <Spent cost={row.cost} />,
  },
  { id: 'rss', head: 'Memory', align: 'right', level: 3, cell: (row) => bytes(row.cost?.rss_bytes) },
  {
    id: 'spool',
    head: 'Spool',
    align: 'right',
    level: 3,
    help: 'Batches kept on the host until the backend takes them',
    cell: (row) => <Spool cost={row.cost} />,
  },
  {
    id: 'lost_batches',
    head: 'Lost',
    align: 'right',
    level: 2,
    sortable: true,
    cell: (row) => (
      <Lost records={lostRecords(row.collectors)} batches={row.lost_batches} events={row.event_loss} />
    ),
  },
  {
    id: 'clock_skew_seconds',
    head: 'Clock off',
    align: 'right',
    level: 3,
    sortable: true,
    cell: (row) => <Skew seconds={row.clock_skew_seconds} />,
  },
  {
    id: 'version',
    head: 'Version',
    level: 3,
    sortable: true,
    sortFirst: 'asc',
    cell: (row) => <span className="mono secondary">{row.version ?? NO_VALUE}</span>,
  },
]

type AgentsTableProps = {
  rows?: readonly AgentItem[]
  zone: Zone
  sort?: string
  onSort?: (sort: string) => void
  filter?: string
  onClearFilter?: () => void
}

export function AgentsTable({ rows, zone, sort, onSort, filter, onClearFilter }: AgentsTableProps) {
  const empty = filter ? (
    <StateBox
      title={`No agent's host has “${filter}” in its name`}
      action={
        <button type="button" className="text-link" onClick={onClearFilter}>
          Show all agents
        </button>
      }
    />
  ) : (
    <StateBox title="No agent is enrolled">
      <Link to="/" className="text-link">
        Connect the first host
      </Link>
    </StateBox>
  )
  return (
    <DataTable
      label="Agents"
      columns={columns(zone)}
      rows={rows}
      rowId={(row) => row.host_id}
      sort={sort}
      onSort={onSort}
      skeletonRows={10}
      empty={empty}
    />
  )
}
