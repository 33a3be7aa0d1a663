import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useShell } from '@/lib/shell'
import { Card } from '@/ui/card'
import { QueryState } from '@/ui/query-state'
import { NoSamples } from '@/ui/state-box'
import { readEvidence } from './evidence'
import { EvidenceCharts } from './evidence-charts'
import styles from './evidence-charts.module.css'
import { evidenceQuery, type SeriesAnswer } from './evidence-query'
import { EvidenceSkeleton } from './evidence-skeleton'
import type { Scale } from './latency-option'

/** A bar of three pixels and its gap on a desktop card; a phone has half the width. */
const POINTS = { wide: 180, narrow: 90 }

type EvidenceStripProps = { id: string; name: string; scale: Scale; onScale: (scale: Scale) => void }

/** Latency, preemptions and throttling on one crosshair: latency alone would blame the wrong one. */
export function EvidenceStrip({ id, ...rest }: EvidenceStripProps) {
  const { range, refetchInterval } = useShell()
  const narrow = useMediaQuery('(max-width: 599px)', undefined, { getInitialValueInEffect: false }) ?? false
  const query = useQuery({
    ...evidenceQuery(id, range, narrow ? POINTS.narrow : POINTS.wide),
    refetchInterval,
  })
  return (
    <Card flush>
      <QueryState query={query} what="the charts" skeleton={<EvidenceSkeleton />}>
        {(answer) => <Drawn answer={answer} narrow={narrow} {...rest} />}
      </QueryState>
    </Card>
  )
}

type DrawnProps = Omit<EvidenceStripProps, 'id'> & { answer: SeriesAnswer; narrow: boolean }

function Drawn({ answer, ...rest }: DrawnProps) {
  // Read once per answer: the charts must not be rebuilt for each movement of the crosshair.
  const evidence = useMemo(() => readEvidence(answer, Date.now()), [answer])
  if (evidence.empty) {
    return (
      <div className={styles.empty}>
        <NoSamples>The container ran 0 s in this range, or its host sent no window.</NoSamples>
      </div>
    )
  }
  return <EvidenceCharts evidence={evidence} {...rest} />
}
