import type { ReactNode } from 'react'
import { cores, count, cpuSeconds, latency, percent, rate } from '@/lib/format'
import { Card } from '@/ui/card'
import { Skeleton } from '@/ui/skeleton'
import type { ContainerAnswer, ContainerDetail } from './container-query'
import { LedgerSplit } from './ledger-split'
import styles from './measures-card.module.css'

type Line = { name: string; value: ReactNode; detail?: ReactNode; mark?: string }

function ownQuota(container: ContainerDetail): Line {
  const { quota_cores: quota, nr_periods: periods, nr_throttled: throttled } = container
  if (periods === null || throttled === null || (quota === null && periods === 0)) {
    const detail =
      quota === null && container.ran_seconds !== null
        ? 'no CPU quota of its own'
        : 'not measured in this range'
    return { name: 'Throttled by own quota', value: '–', detail }
  }
  return {
    name: 'Throttled by own quota',
    mark: styles.quota,
    value: `${percent(container.throttled_ratio)}`,
    detail: `${count(throttled)} of ${count(periods)} periods, ${cpuSeconds(container.throttled_seconds)} s`,
  }
}

function ancestorQuota(container: ContainerDetail): Line[] {
  const { ancestor_throttled_ratio: ratio, ancestor_throttled_seconds: seconds } = container
  if (ratio === null && seconds === null) return []
  return [
    {
      name: 'Throttled by an ancestor',
      mark: styles.quota,
      value: percent(ratio),
      detail: `quota of a cgroup above it, ${cpuSeconds(seconds)} s`,
    },
  ]
}

function latencyDetail(container: ContainerDetail): string {
  const { runq_p99_seconds: all, runq_unthrottled_p99_seconds: rest } = container
  const words = [`P50 ${latency(container.runq_p50_seconds)}`]
  if (container.max_wait_seconds !== null) words.push(`longest ${latency(container.max_wait_seconds)}`)
  if (all !== null && rest !== null && rest < all) words.push(`P99 without throttling ${latency(rest)}`)
  return words.join(', ')
}

/** The figures of the range, without a judgement: what was counted, and of how much. */
export function measureLines(container: ContainerDetail): Line[] {
  return [
    {
      name: 'Run queue latency P99',
      value: latency(container.runq_p99_seconds),
      detail: latencyDetail(container),
    },
    {
      name: 'Preempted by another container',
      mark: styles.aggressor,
      value: rate(container.preempted_other_per_second),
    },
    { name: 'Preempted by system', mark: styles.system, value: rate(container.preempted_system_per_second) },
    { name: 'Preempted by own threads', mark: styles.self, value: rate(container.preempted_self_per_second) },
    ownQuota(container),
    ...ancestorQuota(container),
    {
      name: 'CPU used',
      value: container.cpu_used_cores === null ? '–' : `${cores(container.cpu_used_cores)} cores`,
      detail: container.cpus_allowed === null ? undefined : `of ${count(container.cpus_allowed)} allowed`,
    },
  ]
}

export function MeasuresCard({ answer }: { answer: ContainerAnswer }) {
  return (
    <Card title="In this range" flush>
      <LedgerSplit ledger={answer.ledger} />
      <dl>
        {measureLines(answer.container).map((line) => (
          <div key={line.name} className={styles.line}>
            <dt className={styles.name}>
              {line.mark ? <i className={line.mark} /> : null}
              {line.name}
            </dt>
            <dd className={styles.value}>{line.value}</dd>
            {line.detail ? <dd className={styles.detail}>{line.detail}</dd> : null}
          </div>
        ))}
      </dl>
    </Card>
  )
}

/** Two of the lines have a second one. */
const LINES_PX = [52, 34, 34, 34, 52, 52]

export function MeasuresSkeleton() {
  return (
    <Card title="In this range" flush>
      <div className={styles.demand}>
        <Skeleton width="60%" />
        <Skeleton height={22} />
        <Skeleton height={158} />
      </div>
      {LINES_PX.map((height, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: place-holders have no identity
        <div key={index} className={styles.line} style={{ height }}>
          <Skeleton width="70%" />
        </div>
      ))}
    </Card>
  )
}
