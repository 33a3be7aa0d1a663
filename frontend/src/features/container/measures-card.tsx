import type { ReactNode } from 'react'
import { cores, count, cpuSeconds, latency, percent, rate } from '@/lib/format'
import { Card } from '@/ui/card'
import { Skeleton } from '@/ui/skeleton'
import { SplitBar, type SplitPart } from '@/ui/split-bar'
import type { ContainerDetail } from './container-query'
import styles from './measures-card.module.css'

type Line = { name: string; value: ReactNode; detail?: ReactNode; mark?: string }

/** Demand is what the tasks asked for: the time they ran and the time they were ready and did not run. */
export function demandParts(container: ContainerDetail): SplitPart[] {
  const { ran_seconds: ran, wait_seconds: waited, wait_ratio: ratio } = container
  if (ran === null || waited === null) return []
  return [
    { part: 'ran', name: 'ran', value: ran, text: `${cpuSeconds(ran)} CPU-s` },
    { part: 'victim', name: 'waited', value: waited, text: `${cpuSeconds(waited)} CPU-s, ${percent(ratio)}` },
  ]
}

/** The kernel's run delay goes on while a quota holds a task back: say so where one did. */
export function heldBack(container: ContainerDetail): string | null {
  const own = (container.throttled_seconds ?? 0) > 0
  const ancestor = (container.ancestor_throttled_seconds ?? 0) > 0
  if (own) return 'includes the time that its own quota held it back'
  return ancestor ? "includes the time that an ancestor's quota held it back" : null
}

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

/** The figures of the range, without a judgement: what was counted, and of how much. */
export function measureLines(container: ContainerDetail): Line[] {
  return [
    {
      name: 'Run queue latency P99',
      value: latency(container.runq_p99_seconds),
      detail: `P50 ${latency(container.runq_p50_seconds)}`,
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

export function MeasuresCard({ container }: { container: ContainerDetail }) {
  const parts = demandParts(container)
  const held = heldBack(container)
  return (
    <Card title="In this range" flush>
      <div className={styles.demand}>
        <p className={styles.row}>
          <span className={styles.name}>Waited of demand</span>
          <span className={styles.value}>{percent(container.wait_ratio)}</span>
        </p>
        <SplitBar label="Demand" parts={parts} height={14} />
        {parts.length === 0 ? (
          <p className={styles.legend}>no samples in this range</p>
        ) : (
          <p className={styles.legend}>
            <span>
              <i className={styles.ran} /> ran {cpuSeconds(container.ran_seconds)} CPU-s
            </span>
            <span>
              <i className={styles.victim} /> waited {cpuSeconds(container.wait_seconds)} CPU-s
            </span>
          </p>
        )}
        {held === null ? null : <p className={styles.legend}>{held}</p>}
      </div>
      <dl>
        {measureLines(container).map((line) => (
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
        <Skeleton height={14} />
        <Skeleton width="80%" />
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
