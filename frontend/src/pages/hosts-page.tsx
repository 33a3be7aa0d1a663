import { useQuery } from '@tanstack/react-query'
import { HOSTS_DEFAULT_SORT, hostsQuery } from '@/features/hosts/hosts-query'
import { HostsTable } from '@/features/hosts/hosts-table'
import { count, percent, plural } from '@/lib/format'
import { useShell } from '@/lib/shell'
import { csvPath, useTableState } from '@/lib/table-state'
import { Card } from '@/ui/card'
import { CsvButton } from '@/ui/csv-button'
import { ListFoot } from '@/ui/list-foot'
import { Fact, PageHead } from '@/ui/page-head'
import { QueryState } from '@/ui/query-state'
import { SearchField } from '@/ui/search-field'

export function HostsPage() {
  const { range, refetchInterval } = useShell()
  const table = useTableState(range, HOSTS_DEFAULT_SORT)
  const query = useQuery({ ...hostsQuery(table), refetchInterval })
  const data = query.data
  return (
    <>
      <PageHead
        title="Hosts"
        inline
        facts={
          data ? (
            <>
              <Fact>
                {count(data.coverage.hosts_reporting)} of {plural(data.coverage.hosts_known, 'host')} reported
              </Fact>
              <Fact name="coverage">{percent(data.coverage.ratio)}</Fact>
            </>
          ) : null
        }
      />
      <Card
        flush
        title="All hosts"
        sub={data ? count(data.total) : null}
        aside={
          <>
            <SearchField label="Name contains" value={table.q ?? ''} onChange={table.onSearch} />
            <CsvButton path={csvPath('/hosts', table)} filename="hosts.csv" />
          </>
        }
      >
        <QueryState query={query} what="the hosts" skeleton={<HostsTable />}>
          {(list) => (
            <>
              <HostsTable
                rows={list.items}
                sort={table.sort}
                onSort={table.onSort}
                filter={table.q}
                onClearFilter={() => table.onSearch('')}
              />
              <ListFoot
                {...table}
                shown={list.items.length}
                total={list.total}
                nextCursor={list.next_cursor}
              />
            </>
          )}
        </QueryState>
      </Card>
    </>
  )
}
