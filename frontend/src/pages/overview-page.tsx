import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { FirstRun } from '@/features/enrolment/first-run'
import { Demo, NoFiguresYet, WhatComes } from '@/features/enrolment/what-comes'
import { Headline, HeadlineSkeleton } from '@/features/overview/headline'
import { HostTiles, HostTilesSkeleton } from '@/features/overview/host-tiles'
import { isFirstRun, type Overview, overviewQuery } from '@/features/overview/overview-query'
import { TopNeighbors } from '@/features/overview/top-neighbors'
import { WorstContainers } from '@/features/overview/worst-containers'
import { sessionQuery } from '@/features/session/session-query'
import { count, percent, plural } from '@/lib/format'
import { type Shell, useShell } from '@/lib/shell'
import { relativeLabel } from '@/lib/time-range'
import { Card } from '@/ui/card'
import { Fact, PageHead } from '@/ui/page-head'
import { QueryState } from '@/ui/query-state'
import styles from './overview-page.module.css'

export function OverviewPage() {
  const shell = useShell()
  const query = useQuery(overviewQuery(shell.range, shell.refetchInterval))
  const words = rangeWords(shell)
  return (
    <QueryState query={query} what="the overview" skeleton={<OverviewSkeleton />} around={failedPage}>
      {(overview) =>
        isFirstRun(overview) ? (
          <FirstRunView overview={overview} shell={shell} checkedAt={query.dataUpdatedAt} />
        ) : (
          <Filled overview={overview} shell={shell} words={words} />
        )
      }
    </QueryState>
  )
}

function failedPage(failure: ReactNode) {
  return (
    <>
      <PageHead title="Overview" />
      <Card flush>{failure}</Card>
    </>
  )
}

function rangeWords({ range }: Shell): string {
  const length = relativeLabel(range)
  return length ? `last ${length}` : 'chosen range'
}

function Filled({ overview, shell, words }: { overview: Overview; shell: Shell; words: string }) {
  const { waiting_threshold_seconds: waitingFrom, throttled_threshold_ratio: throttledFrom } = overview
  return (
    <>
      <PageHead
        title="Overview"
        inline
        facts={
          <>
            <Fact>
              {count(overview.hosts_live)} of {plural(overview.hosts_known, 'host')}
            </Fact>
            <Fact>{plural(overview.containers_running, 'container')}</Fact>
            <Fact name="coverage">{percent(overview.coverage.ratio)}</Fact>
          </>
        }
      />
      <Headline overview={overview} zone={shell.zone} rangeWords={`${words}, all containers`} />
      <div className={styles.columns}>
        <div className={styles.stack}>
          <Card
            flush
            title="Waited longest"
            sub={`by P99 wait, ${words}`}
            aside={
              <Link to="/containers" className="link">
                All {count(overview.containers_running)}
              </Link>
            }
          >
            <WorstContainers
              rows={overview.worst_containers}
              waitingFrom={waitingFrom}
              throttledFrom={throttledFrom}
            />
          </Card>
          <Card
            flush
            title="Top neighbors"
            sub={`by CPU time stolen from other containers, ${words}`}
            aside={
              <Link to="/neighbors" className="link">
                Ranking
              </Link>
            }
          >
            <TopNeighbors rows={overview.top_neighbors} waitingFrom={waitingFrom} rangeWords={words} />
          </Card>
        </div>
        <Card
          title="Hosts"
          sub={`containers waiting for neighbors, ${words}`}
          aside={
            <Link to="/hosts" className="link">
              Table
            </Link>
          }
        >
          <HostTiles tiles={overview.host_tiles} />
        </Card>
      </div>
    </>
  )
}

function FirstRunView({
  overview,
  shell,
  checkedAt,
}: {
  overview: Overview
  shell: Shell
  checkedAt: number
}) {
  const session = useQuery(sessionQuery)
  return (
    <>
      <PageHead title="Overview" />
      <div className={styles.firstRun}>
        <FirstRun
          zone={shell.zone}
          mayEnrol={session.data?.user.role === 'admin'}
          hostsEnrolled={overview.hosts_known}
          checkedAt={checkedAt}
        />
        <WhatComes />
      </div>
      <div className={styles.stack}>
        <Demo />
        <NoFiguresYet />
      </div>
    </>
  )
}

function OverviewSkeleton() {
  return (
    <>
      <PageHead title="Overview" />
      <HeadlineSkeleton />
      <div className={styles.columns}>
        <div className={styles.stack}>
          <Card flush title="Waited longest">
            <WorstContainers />
          </Card>
          <Card flush title="Top neighbors">
            <TopNeighbors />
          </Card>
        </div>
        <Card title="Hosts">
          <HostTilesSkeleton />
        </Card>
      </div>
    </>
  )
}
