import type { UseQueryResult } from '@tanstack/react-query'
import type { Zone } from '@/lib/clock'
import { DataTable } from '@/ui/data-table'
import { QueryState } from '@/ui/query-state'
import { NoSamples, StateBox } from '@/ui/state-box'
import { eventColumns } from './event-columns'
import type { EventList } from './events-query'

type EventsTableProps = {
  query: UseQueryResult<EventList, Error>
  zone: Zone
  sort: string
  onSort: (sort: string) => void
  filtered: boolean
  onClear: () => void
}

export function EventsTable({ query, zone, sort, onSort, filtered, onClear }: EventsTableProps) {
  const columns = eventColumns(zone)
  const draw = (list: EventList | undefined) => (
    <DataTable
      label="Events"
      columns={columns}
      rows={list?.items}
      rowId={(row) => row.id}
      sort={sort}
      onSort={onSort}
      skeletonRows={12}
      empty={list ? <Nothing list={list} filtered={filtered} onClear={onClear} /> : undefined}
    />
  )
  return (
    <QueryState query={query} what="the events" skeleton={draw(undefined)}>
      {draw}
    </QueryState>
  )
}

/** Nothing happened, nobody looked, or nothing that matches: three different texts. */
function Nothing({ list, filtered, onClear }: { list: EventList; filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <StateBox
        title="No event matches these filters in this range"
        action={
          <button type="button" className="text-link" onClick={onClear}>
            Show all events
          </button>
        }
      />
    )
  }
  if (list.as_of === null) return <NoSamples>No host sent a window, so nothing could be told.</NoSamples>
  return (
    <StateBox title="No long wait in this range">
      No task waited 10 ms for a neighbor, and no quota held one back for 20 ms.{' '}
      {list.coverage.hosts_reporting} of {list.coverage.hosts_known} hosts reported.
    </StateBox>
  )
}
