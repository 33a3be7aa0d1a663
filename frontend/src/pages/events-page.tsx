import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { EVENTS_DEFAULT_SORT, type EventFilters, eventsQuery } from '@/features/events/events-query'
import { EventsTable } from '@/features/events/events-table'
import { count, plural } from '@/lib/format'
import { useSetSearch, useShell } from '@/lib/shell'
import { csvPath, useTableState } from '@/lib/table-state'
import { Card } from '@/ui/card'
import { FilterChip } from '@/ui/chip'
import { CsvButton } from '@/ui/csv-button'
import { ListFoot } from '@/ui/list-foot'
import { Fact, PageHead } from '@/ui/page-head'
import { SearchField } from '@/ui/search-field'
import { Segments } from '@/ui/segments'

const KINDS = [
  { value: 'all', label: 'All' },
  { value: 'noisy_neighbor', label: 'Neighbor waits', title: 'One wait of at least 10 ms' },
  { value: 'throttling', label: 'Throttling', title: 'One throttled span of at least 20 ms' },
] as const

/** Events come within a second; the shell's own rhythm is that of windows. */
const EVENTS_POLL_MS = 3_000

const NO_FILTER = {
  q: undefined,
  kind: undefined,
  host_id: undefined,
  container_id: undefined,
  aggressor_id: undefined,
  cursor: undefined,
}

export function EventsPage() {
  const filters: EventFilters = (({ kind, host_id, container_id, aggressor_id }) => ({
    kind,
    host_id,
    container_id,
    aggressor_id,
  }))(useSearch({ from: '/frame/events' }))
  const { range, zone, refetchInterval } = useShell()
  const setSearch = useSetSearch()
  const table = useTableState(range, EVENTS_DEFAULT_SORT)
  const follows = refetchInterval !== false && table.onFirstPage
  const query = useQuery({
    ...eventsQuery(table, filters),
    refetchInterval: follows ? EVENTS_POLL_MS : false,
    refetchIntervalInBackground: false,
  })
  const list = query.data
  const first = list?.items[0]
  const filtered = table.q !== undefined || Object.values(filters).some((value) => value !== undefined)
  const drop = (name: keyof EventFilters) => () => setSearch({ [name]: undefined, cursor: undefined })
  const aggressor = first?.shares.find((share) => share.id === filters.aggressor_id)
  return (
    <>
      <PageHead
        title="Events"
        inline
        facts={
          <>
            <Fact>Single long waits, as the kernel tells them</Fact>
            {list ? <Fact>{plural(list.total, 'event')}</Fact> : null}
          </>
        }
      />
      <Card
        flush
        title="Newest first"
        sub={list ? count(list.total) : null}
        aside={
          <>
            {filters.host_id === undefined ? null : (
              <FilterChip
                name="Host"
                value={first?.host_name ?? filters.host_id}
                onRemove={drop('host_id')}
              />
            )}
            {filters.container_id === undefined ? null : (
              <FilterChip
                name="Waited"
                value={first?.container_name ?? filters.container_id}
                onRemove={drop('container_id')}
              />
            )}
            {filters.aggressor_id === undefined ? null : (
              <FilterChip
                name="Ran meanwhile"
                value={aggressor?.name ?? filters.aggressor_id}
                onRemove={drop('aggressor_id')}
              />
            )}
            <Segments
              label="Kind"
              value={filters.kind ?? 'all'}
              options={KINDS}
              onChange={(kind) => setSearch({ kind: kind === 'all' ? undefined : kind, cursor: undefined })}
            />
            <SearchField label="Name contains" value={table.q ?? ''} onChange={table.onSearch} />
            <CsvButton path={csvPath('/events', table, filters)} filename="events.csv" />
          </>
        }
      >
        <EventsTable
          query={query}
          zone={zone}
          sort={table.sort}
          onSort={table.onSort}
          filtered={filtered}
          onClear={() => setSearch(NO_FILTER)}
        />
        {list ? (
          <ListFoot {...table} shown={list.items.length} total={list.total} nextCursor={list.next_cursor} />
        ) : null}
      </Card>
    </>
  )
}
