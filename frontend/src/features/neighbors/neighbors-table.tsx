import type { UseQueryResult } from '@tanstack/react-query'
import { DataTable } from '@/ui/data-table'
import { QueryState } from '@/ui/query-state'
import { NoSamples, StateBox } from '@/ui/state-box'
import { neighborColumns } from './neighbor-columns'
import { NeighborsFoot } from './neighbors-foot'
import type { NeighborItem, NeighborList } from './neighbors-query'

type NeighborsTableProps = {
  query: UseQueryResult<NeighborList, Error>
  sort: string
  onSort: (sort: string) => void
  filtered: boolean
}

export function NeighborsTable({ query, sort, onSort, filtered }: NeighborsTableProps) {
  const draw = (list: NeighborList | undefined) => {
    const columns = neighborColumns({
      container: mostStolen(list?.items),
      system: mostStolen(list?.system_items),
    })
    const services = list?.system_items ?? []
    const nothing = list !== undefined && list.items.length === 0
    if (nothing && services.length === 0) return <Nothing list={list} filtered={filtered} />
    return (
      <DataTable
        label="Neighbors"
        columns={columns}
        rows={list?.items}
        rowId={(row) => row.id}
        sort={sort}
        onSort={onSort}
        isHarmful={(row) => row.rank === 1 && (row.stolen_cpu_seconds ?? 0) > 0}
        skeletonRows={10}
        foot={list ? <NeighborsFoot list={list} columns={columns} /> : undefined}
      />
    )
  }
  return (
    <QueryState query={query} what="the neighbors" skeleton={draw(undefined)}>
      {draw}
    </QueryState>
  )
}

function mostStolen(rows: readonly NeighborItem[] | undefined): number {
  return Math.max(0, ...(rows ?? []).map((row) => row.stolen_cpu_seconds ?? 0))
}

/** Nobody stole, nobody was looking, or nobody of that name: three different texts. */
function Nothing({ list, filtered }: { list: NeighborList; filtered: boolean }) {
  if (list.as_of === null)
    return <NoSamples>No host sent a window, so nothing is known about neighbors.</NoSamples>
  if (filtered) return <StateBox title="No neighbor matches these filters in this range" />
  return (
    <StateBox title="No container waited for another in this range">
      {list.coverage.hosts_reporting} of {list.coverage.hosts_known} hosts reported.
    </StateBox>
  )
}
