import { useQuery } from '@tanstack/react-query'
import { AGENTS_DEFAULT_SORT, agentsQuery } from '@/features/agents/agents-query'
import { AgentsTable } from '@/features/agents/agents-table'
import { EnrolHost } from '@/features/enrolment/enrol-host'
import { sessionQuery } from '@/features/session/session-query'
import { count, percent, plural } from '@/lib/format'
import { useShell } from '@/lib/shell'
import { csvPath, useTableState } from '@/lib/table-state'
import { Card } from '@/ui/card'
import { CsvButton } from '@/ui/csv-button'
import { ListFoot } from '@/ui/list-foot'
import { Fact, PageHead } from '@/ui/page-head'
import { QueryState } from '@/ui/query-state'
import { SearchField } from '@/ui/search-field'

export function AgentsPage() {
  const { range, zone, refetchInterval } = useShell()
  const table = useTableState(range, AGENTS_DEFAULT_SORT)
  const query = useQuery({ ...agentsQuery(table), refetchInterval })
  const session = useQuery(sessionQuery)
  const data = query.data
  return (
    <>
      <PageHead
        title="Agents"
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
        actions={session.data?.user.role === 'admin' ? <EnrolHost zone={zone} /> : null}
      />
      <Card
        flush
        title="All agents"
        sub={data ? count(data.total) : null}
        aside={
          <>
            <SearchField label="Host contains" value={table.q ?? ''} onChange={table.onSearch} />
            <CsvButton path={csvPath('/agents', table)} filename="agents.csv" />
          </>
        }
      >
        <QueryState query={query} what="the agents" skeleton={<AgentsTable zone={zone} />}>
          {(list) => (
            <>
              <AgentsTable
                rows={list.items}
                zone={zone}
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
