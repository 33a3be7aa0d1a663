import { clockTime, type Zone } from '@/lib/clock'
import { count, cpuSeconds, decimal, duration, NO_VALUE, percent, stolenPerHour } from '@/lib/format'
import { WAIT_CAUSES } from '@/lib/wait-causes'
import { Skeleton } from '@/ui/skeleton'
import { Sparkline, type SparklineTone } from '@/ui/sparkline'
import { SplitBar, SplitLegend, type SplitPart } from '@/ui/split-bar'
import { Stat } from '@/ui/stat'
import styles from './headline.module.css'
import type { Overview } from './overview-query'

type Values = readonly (number | null)[]

/** "newest 1 min: 8", of the last bucket that was measured. */
function newest(overview: Overview, values: Values, print: (value: number) => string, zone: Zone): string {
  const index = values.findLastIndex((value) => value !== null)
  const value = values[index]
  const at = overview.trend.t[index]
  if (value === null || value === undefined || at === undefined) return 'no trend in this range'
  const step = (overview.trend.t[1] ?? at) - (overview.trend.t[0] ?? at)
  if (step <= 0) return `${print(value)} at ${clockTime(at * 1000, zone)}`
  return `newest ${duration(step)}: ${print(value)}`
}

function Trend({ values, tone, what }: { values: Values; tone: SparklineTone; what: string }) {
  if (values.length < 2) return null
  const harmful = values.some((value) => (value ?? 0) > 0)
  return (
    <Sparkline
      values={values}
      width={84}
      height={26}
      tone={harmful ? tone : 'quiet'}
      label={`${what} over the range`}
    />
  )
}

const PARTS = [
  ['self', 'self_wait_seconds'],
  ['neighbor', 'neighbor_wait_seconds'],
  ['system', 'system_wait_seconds'],
  ['throttled_own', 'throttled_own_wait_seconds'],
  ['throttled_ancestor', 'throttled_ancestor_wait_seconds'],
  ['idle_gap', 'idle_gap_wait_seconds'],
  ['unattributed', 'unattributed_wait_seconds'],
] as const

/** What ran, then the waiting by cause; as one part where no agent tells causes apart. */
function demand(overview: Overview): SplitPart[] | null {
  const { ran_seconds: ran, wait_seconds: waited } = overview
  if (ran === null || waited === null || ran + waited === 0) return null
  const ranPart: SplitPart = { part: 'ran', name: 'ran', value: ran, text: cpuSeconds(ran) }
  if (overview.neighbor_wait_seconds === null) {
    return [ranPart, { part: 'victim', name: 'waited', value: waited, text: cpuSeconds(waited) }]
  }
  return [
    ranPart,
    ...PARTS.map(([cause, field]): SplitPart => {
      const seconds = overview[field] ?? 0
      const { part, name } = WAIT_CAUSES[cause]
      return { part, name, value: seconds, text: cpuSeconds(seconds) }
    }),
  ]
}

export function Headline({
  overview,
  zone,
  rangeWords,
}: {
  overview: Overview
  zone: Zone
  rangeWords: string
}) {
  const { trend } = overview
  // No "of N": these count every container of the range, the page's head those that still run.
  const words = (n: number | null) => (n === 1 ? 'container' : 'containers')
  return (
    <section className={styles.strip} aria-label="Now">
      <Stat
        name={`Waiting, P99 ≥ ${decimal(overview.waiting_threshold_seconds * 1000)} ms`}
        value={count(overview.containers_waiting)}
        unit={words(overview.containers_waiting)}
        note={newest(overview, trend.waiting_containers, count, zone)}
        figure={<Trend values={trend.waiting_containers} tone="victim" what="Waiting containers" />}
      />
      <Stat
        name="Stolen by neighbors"
        value={cpuSeconds(overview.stolen_cpu_seconds_per_hour)}
        unit="CPU-s/h"
        note={newest(overview, trend.neighbor_wait_cores, stolenPerHour, zone)}
        figure={
          <Trend values={trend.neighbor_wait_cores} tone="aggressor" what="CPU time stolen by neighbors" />
        }
      />
      <Stat
        name={`Throttled > ${decimal(overview.throttled_threshold_ratio * 100)} % of periods`}
        value={count(overview.containers_throttled)}
        unit={words(overview.containers_throttled)}
        note={newest(overview, trend.throttled_containers, count, zone)}
        figure={<Trend values={trend.throttled_containers} tone="quota" what="Throttled containers" />}
      />
      <Demand parts={demand(overview)} overview={overview} rangeWords={rangeWords} />
    </section>
  )
}

function Demand({
  parts,
  overview,
  rangeWords,
}: {
  parts: SplitPart[] | null
  overview: Overview
  rangeWords: string
}) {
  const whole = (overview.ran_seconds ?? 0) + (overview.wait_seconds ?? 0)
  return (
    <div className={styles.demand}>
      <p className={styles.demandHead}>
        <span>{parts ? `Where ${cpuSeconds(whole)} CPU-s of demand went` : 'Where the demand went'}</span>
        <span className="quiet">{rangeWords}</span>
      </p>
      <SplitBar parts={parts ?? []} label="CPU seconds" height={14} />
      {parts ? (
        <div className={styles.legend}>
          <SplitLegend parts={parts} />
          <span className="num">{percent(overview.wait_ratio)} waited</span>
        </div>
      ) : (
        <p className="quiet">{NO_VALUE} no samples in this range</p>
      )}
    </div>
  )
}

export function HeadlineSkeleton() {
  return (
    <div className={styles.strip}>
      {['w', 'p', 't', 'd'].map((key) => (
        <div key={key} className={styles.bones}>
          <Skeleton width="60%" />
          <Skeleton width="38%" height={22} />
          <Skeleton width="46%" />
        </div>
      ))}
    </div>
  )
}
