import { Link } from '@tanstack/react-router'
import { count, percent, rate } from '@/lib/format'
import { Card } from '@/ui/card'
import { DataTable } from '@/ui/data-table'
import type { Column } from '@/ui/data-table-columns'
import { InlineBar } from '@/ui/inline-bar'
import { NoSamples, StateBox } from '@/ui/state-box'
import type { PreemptedBy } from './container-query'
import styles from './preempted-by-table.module.css'

const KIND = {
  container: { words: 'another container', tone: 'aggressor' },
  system: { words: 'system', tone: 'system' },
  self: { words: 'same container', tone: 'self' },
} as const

const BAR_PX = 140

/** A system service is named as the machine names it. */
function Name({ row }: { row: PreemptedBy }) {
  if (row.kind === 'self') return <span className="strong">{row.name}</span>
  const face = row.kind === 'system' ? 'mono' : 'strong'
  if (row.id === null) return <span className={`${face} secondary`}>{row.name}</span>
  return (
    <Link to="/containers/$containerId" params={{ containerId: row.id }} className={`link ${face}`}>
      {row.name}
    </Link>
  )
}

const COLUMNS: readonly Column<PreemptedBy>[] = [
  { id: 'name', head: 'Came in', grow: true, cell: (row) => <Name row={row} /> },
  {
    id: 'kind',
    head: 'Kind',
    level: 2,
    cell: (row) => (
      <span className={styles.kind}>
        <i className={styles[row.kind]} />
        {KIND[row.kind].words}
      </span>
    ),
  },
  { id: 'preemptions', head: 'Preemptions', align: 'right', cell: (row) => count(row.preemptions) },
  {
    id: 'per_second',
    head: 'Per second',
    align: 'right',
    level: 2,
    cell: (row) => rate(row.per_second),
  },
  {
    id: 'share_ratio',
    head: 'Share',
    align: 'right',
    help: 'Of all preemptions of this container in the range',
    cell: (row) => <span className="strong">{percent(row.share_ratio)}</span>,
  },
  {
    id: 'bar',
    head: <span className="visually-hidden">Share as bar</span>,
    level: 2,
    cell: (row) => <InlineBar ratio={row.share_ratio} tone={KIND[row.kind].tone} width={BAR_PX} />,
  },
]

type PreemptedByTableProps = {
  /** Undefined while loading. */
  rows: readonly PreemptedBy[] | undefined
  /** False when no window tells whether anybody came in. */
  measured: boolean
}

export function PreemptedByTable({ rows, measured }: PreemptedByTableProps) {
  const total = rows?.reduce((sum, row) => sum + row.preemptions, 0)
  return (
    <Card
      flush
      title="Who came in when it was switched out"
      sub={total === undefined || total === 0 ? null : `${count(total)} preemptions in this range`}
    >
      <DataTable
        label="Who came in when it was switched out"
        columns={COLUMNS}
        rows={rows}
        rowId={(row) => row.id ?? `${row.kind}:${row.name}`}
        empty={measured ? <Nobody /> : <NoSamples />}
      />
    </Card>
  )
}

function Nobody() {
  return (
    <StateBox title="No preemption in this range">
      None of its tasks was switched out while it still wanted to run.
    </StateBox>
  )
}
