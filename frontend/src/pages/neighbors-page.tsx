import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { NEIGHBORS_DEFAULT_SORT, neighborsQuery } from '@/features/neighbors/neighbors-query'
import { NeighborsTable } from '@/features/neighbors/neighbors-table'
import { cpuSeconds, plural } from '@/lib/format'
import { useSetSearch, useShell } from '@/lib/shell'
import { csvPath, useTableState } from '@/lib/table-state'
import { Card } from '@/ui/card'
import { FilterChip } from '@/ui/chip'
import { CsvButton } from '@/ui/csv-button'
import { ListFoot } from '@/ui/list-foot'
import { Fact, PageHead } from '@/ui/page-head'
import { SearchField } from '@/ui/search-field'

export function NeighborsPage() {
  const { host_id } = useSearch({ from: '/frame/neighbors' })
  const { range, refetchInterval } = useShell()
  const setSearch = useSetSearch()
  const table = useTableState(range, NEIGHBORS_DEFAULT_SORT)
  const query = useQuery({ ...neighborsQuery(table, host_id), refetchInterval })
  const list = query.data
  const host = [...(list?.items ?? []), ...(list?.system_items ?? [])].find(
    (item) => item.host_id === host_id,
  )
  return (
    <>
      <PageHead
        title="Neighbors"
        inline
        facts={
          <>
            <Fact>Who ran while others waited on the same CPU</Fact>
            {list ? (
              <Fact name="stolen">
                {cpuSeconds(list.total_stolen_cpu_seconds)} CPU-s by {plural(list.total, 'container')}
              </Fact>
            ) : null}
          </>
        }
      />
      <Card
        flush
        title="Containers"
        sub="ranked by CPU time stolen from other containers"
        aside={
          <>
            {host_id === undefined ? null : (
              <FilterChip
                name="Host"
                value={host?.host_name ?? host_id}
                onRemove={() => setSearch({ host_id: undefined, cursor: undefined })}
              />
            )}
            <SearchField label="Name contains" value={table.q ?? ''} onChange={table.onSearch} />
            <CsvButton path={csvPath('/neighbors', table, { host_id })} filename="neighbors.csv" />
          </>
        }
      >
        <NeighborsTable
          query={query}
          sort={table.sort}
          onSort={table.onSort}
          filtered={table.q !== undefined || host_id !== undefined}
        />
        {list ? (
          <ListFoot {...table} shown={list.items.length} total={list.total} nextCursor={list.next_cursor} />
        ) : null}
      </Card>
    </>
  )
}
