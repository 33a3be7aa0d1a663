import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { preloadCharts } from '@/charts/lazy-chart'
import { ContainerHead, Trail } from '@/features/container/container-head'
import { containerQuery } from '@/features/container/container-query'
import { EvidenceStrip } from '@/features/container/evidence-strip'
import { MeasuresCard, MeasuresSkeleton } from '@/features/container/measures-card'
import { PreemptedByTable } from '@/features/container/preempted-by-table'
import { useSetSearch, useShell } from '@/lib/shell'
import { Card } from '@/ui/card'
import { PageHead } from '@/ui/page-head'
import { QueryState } from '@/ui/query-state'
import styles from './container-page.module.css'

preloadCharts()

export function ContainerPage() {
  const { containerId } = useParams({ from: '/frame/containers/$containerId' })
  const { scale = 'log' } = useSearch({ from: '/frame/containers/$containerId' })
  const setSearch = useSetSearch()
  const { range, zone, refetchInterval } = useShell()
  const query = useQuery({ ...containerQuery(containerId, range), refetchInterval })
  const container = query.data?.container
  const name = container?.name ?? containerId
  return (
    <>
      {container ? (
        <ContainerHead container={container} zone={zone} />
      ) : (
        <PageHead trail={<Trail name={containerId} />} title={containerId} facts={<>&nbsp;</>} />
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
          {(answer) => <MeasuresCard container={answer.container} />}
        </QueryState>
      </div>
      {query.isError && !container ? null : <PreemptedByTable rows={query.data?.preempted_by} />}
    </>
  )
}
