import { NO_VALUE } from '@/lib/format'
import { Card } from '@/ui/card'
import { Stat } from '@/ui/stat'
import styles from './what-comes.module.css'

const COMING: readonly [string, string][] = [
  ['Within 20 s', 'Run queue latency, preemptions and throttling per container'],
  ['Within 1 min', 'Who preempted whom, ranking of neighbors'],
  ['From then on', 'Cost of the agent on each host, under Agents'],
]

export function WhatComes() {
  return (
    <Card title="What will be here" flush>
      <dl>
        {COMING.map(([when, what]) => (
          <div key={when} className={styles.row}>
            <dt className={styles.when}>{when}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

export function Demo() {
  return (
    <Card title="No host at hand" flush>
      <div className={styles.demo}>
        <code className={styles.command}>
          <span aria-hidden className="quiet">
            ${' '}
          </span>
          make demo
        </code>
        <p className="secondary">
          Starts bounded real workloads on this machine: a latency-sensitive victim, a CPU hog and a throttled
          container. Every page has something true to show within a minute.
        </p>
      </div>
    </Card>
  )
}

export function NoFiguresYet() {
  return (
    <div className={styles.figures}>
      {['Waiting containers', 'Preempted by neighbors', 'Throttled containers'].map((name) => (
        <Card key={name} flush>
          <Stat name={name} value={NO_VALUE} />
        </Card>
      ))}
    </div>
  )
}
