import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '@/lib/api'
import { count, cpuSeconds, percent } from '@/lib/format'
import { Card } from '@/ui/card'
import { DataTable } from '@/ui/data-table'
import type { Column } from '@/ui/data-table-columns'
import { InlineBar } from '@/ui/inline-bar'
import { NoSamples, StateBox } from '@/ui/state-box'
import styles from './blame-table.module.css'

export type BlameShare = Schemas['BlameShare']

const KIND = {
  container: { words: 'container', tone: 'aggressor' },
  system: { words: 'system', tone: 'system' },
} as const

const BAR_PX = 100

/** A system service is named as the machine names it. */
function Name({ row }: { row: BlameShare }) {
  const face = row.kind === 'system' ? 'mono' : 'strong'
  if (row.id === null) return <span className={`${face} secondary`}>{row.name}</span>
  return (
    <Link to="/containers/$containerId" params={{ containerId: row.id }} className={`link ${face}`}>
      {row.name}
    </Link>
  )
}

type Wording = { head: string; share: string; waitShare: string }

function columns(words: Wording, harm: 'suffered' | 'done'): readonly Column<BlameShare>[] {
  return [
    { id: 'name', head: words.head, grow: true, cell: (row) => <Name row={row} /> },
    {
      id: 'kind',
      head: 'Kind',
      level: 3,
      cell: (row) => (
        <span className={styles.kind}>
          <i className={harm === 'done' ? styles.victim : styles[row.kind]} aria-hidden />
          {KIND[row.kind].words}
        </span>
      ),
    },
    {
      id: 'stolen_cpu_seconds',
      head: harm === 'suffered' ? 'Ran meanwhile' : 'Waited',
      unit: 'CPU-s',
      align: 'right',
      cell: (row) => <span className="strong">{cpuSeconds(row.stolen_cpu_seconds)}</span>,
    },
    {
      id: 'bar',
      head: <span className="visually-hidden">Share as bar</span>,
      level: 2,
      cell: (row) => (
        <InlineBar
          ratio={row.share_ratio}
          tone={harm === 'done' ? 'victim' : KIND[row.kind].tone}
          width={BAR_PX}
        />
      ),
    },
    {
      id: 'share_ratio',
      head: 'Share',
      align: 'right',
      help: words.share,
      cell: (row) => percent(row.share_ratio),
    },
    {
      id: 'wait_ratio',
      head: 'Of its wait',
      align: 'right',
      level: 2,
      help: words.waitShare,
      cell: (row) => percent(row.wait_ratio),
    },
    {
      id: 'preemptions',
      head: 'Preemptions',
      align: 'right',
      level: 3,
      help: 'How often a runnable task made room for it at once',
      cell: (row) => count(row.preemptions),
    },
  ]
}

const AGGRESSORS = columns(
  {
    head: 'Aggressor',
    share: 'Of all the time that others ran while this container waited',
    waitShare: 'Of all that this container waited, throttling included',
  },
  'suffered',
)

const VICTIMS = columns(
  {
    head: 'Victim',
    share: 'Of all the time that others waited while this container ran',
    waitShare: 'Of all that the victim waited, throttling included',
  },
  'done',
)

type BlameTableProps = {
  /** Undefined while loading. */
  rows: readonly BlameShare[] | undefined
  /** False when no window tells who ran. */
  measured: boolean
}

type TableProps = BlameTableProps & {
  title: string
  sub: string
  columns: readonly Column<BlameShare>[]
  nobody: ReactNode
}

function BlameCard({ title, sub, columns: heads, rows, measured, nobody }: TableProps) {
  return (
    <Card flush title={title} sub={sub}>
      <DataTable
        label={title}
        columns={heads}
        rows={rows}
        rowId={(row) => row.id ?? `${row.kind}:${row.name}`}
        skeletonRows={4}
        empty={measured ? nobody : <NoSamples />}
      />
    </Card>
  )
}

/** Who is to blame for its waiting, by overlap: not by CPU use. */
export function AggressorsTable(props: BlameTableProps) {
  return (
    <BlameCard
      {...props}
      title="Who ran while it waited"
      sub="on the same CPU, at the same time"
      columns={AGGRESSORS}
      nobody={
        <StateBox title="Nobody ran while it waited">
          In this range its tasks waited for nobody but themselves, or not at all.
        </StateBox>
      }
    />
  )
}

export function VictimsTable(props: BlameTableProps) {
  return (
    <BlameCard
      {...props}
      title="Whom it hurt"
      sub="containers that waited while it ran"
      columns={VICTIMS}
      nobody={
        <StateBox title="No container waited for it">
          However much CPU it used, nobody stood behind it.
        </StateBox>
      }
    />
  )
}
