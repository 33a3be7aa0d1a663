import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from '@/ui/button'
import { DataTable } from '@/ui/data-table'
import { QueryState } from '@/ui/query-state'
import { NoSamples, StateBox } from '@/ui/state-box'
import { CONTAINER_COLUMNS } from './container-columns'
import type { ContainerItem, ContainerList } from './containers-query'

const LABEL = 'Containers'

type ContainersTableProps = {
  query: UseQueryResult<ContainerList, Error>
  sort: string
  onSort: (sort: string) => void
  filtered: boolean
  onClear: () => void
}

export function ContainersTable({ query, sort, onSort, filtered, onClear }: ContainersTableProps) {
  const table = (rows: readonly ContainerItem[] | undefined) => (
    <DataTable
      label={LABEL}
      columns={CONTAINER_COLUMNS}
      rows={rows}
      rowId={(row) => row.id}
      sort={sort}
      onSort={onSort}
      skeletonRows={12}
      empty={
        filtered ? (
          <NoMatch onClear={onClear} />
        ) : (
          <NoSamples title="No container sent samples in this range" />
        )
      }
    />
  )
  return (
    <QueryState query={query} what="the containers" skeleton={table(undefined)}>
      {(list) => table(list.items)}
    </QueryState>
  )
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <StateBox
      title="No container matches these filters in this range"
      action={
        <Button size="small" onClick={onClear}>
          Clear filters
        </Button>
      }
    />
  )
}
