import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { preloadCharts } from '@/charts/lazy-chart'
import { AggressorsTable, VictimsTable } from '@/features/container/blame-table'
import { ContainerHead, Trail } from '@/features/container/container-head'
import { containerQuery } from '@/features/container/container-query'
import { EvidenceStrip } from '@/features/container/evidence-strip'
import { MeasuresCard, MeasuresSkeleton } from '@/features/container/measures-card'
import { NoContainer } from '@/features/container/no-container'
import { ApiError } from '@/lib/api'
import { useSetSearch, useShell } from '@/lib/shell'
import { Card } from '@/ui/card'
import { PageHead } from '@/ui/page-head'
import { QueryState } from '@/ui/query-state'
import { Skeleton } from '@/ui/skeleton'
import styles from './container-page.module.css'

preloadCharts()

export function ContainerPage() {
  const { containerId } = useParams({ from: '/frame/containers/$containerId' })
  const { scale = 'log' } = useSearch({ from: '/frame/containers/$containerId' })
  const setSearch = useSetSearch()
  const { range, zone, refetchInterval } = useShell()
  const query = useQuery({ ...containerQuery(containerId, range), refetchInterval })
  const container = query.data?.container
  if (query.error instanceof ApiError && query.error.status === 404) {
    return (
      <>
        <PageHead trail={<Trail name={containerId} />} title="Container" />
        <NoContainer id={containerId} />
      </>
    )
  }
  const name = container?.name ?? containerId
  const measured = (query.data?.ledger?.parts.length ?? 0) > 0
  return (
    <>
      {container ? (
        <ContainerHead container={container} zone={zone} />
      ) : (
        <PageHead
          trail={<Trail name={containerId} />}
          title={
            query.isPending && query.errorUpdateCount === 0 ? (
              <Skeleton width={240} height={18} />
            ) : (
              containerId
            )
          }
          facts={<>&nbsp;</>}
        />
      )}
      <div className={styles.columns}>
        <EvidenceStrip
          id={containerId}
          name={name}
          scale={scale}
          onScale={(next) => setSearch({ scale: next === 'log' ? undefined : next }, true)}
        />
        <QueryState
          query={query}
          what="the container"
          skeleton={<MeasuresSkeleton />}
          around={(failure) => <Card flush>{failure}</Card>}
        >
          {(answer) => <MeasuresCard answer={answer} />}
        </QueryState>
      </div>
      {query.errorUpdateCount > 0 && !container ? null : (
        <div className={styles.pair}>
          <AggressorsTable rows={query.data?.aggressors} measured={measured} />
          <VictimsTable rows={query.data?.victims} measured={measured} />
        </div>
      )}
    </>
  )
}
