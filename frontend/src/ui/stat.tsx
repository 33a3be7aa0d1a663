import type { ReactNode } from 'react'
import { NO_VALUE } from '@/lib/format'
import styles from './stat.module.css'

type StatProps = { name: ReactNode; value: string; unit?: string; note?: ReactNode; figure?: ReactNode }

/** One big number with what it counts, its unit or whole, and a small figure. */
export function Stat({ name, value, unit, note, figure }: StatProps) {
  const missing = value === NO_VALUE
  return (
    <div className={styles.stat}>
      <p className={styles.name}>{name}</p>
      <div className={styles.line}>
        <p className={styles.value}>
          {value}
          {unit && !missing ? <span className={styles.unit}> {unit}</span> : null}
        </p>
        {figure && !missing ? <div className={styles.figure}>{figure}</div> : null}
      </div>
      <p className={styles.note}>{missing ? 'no samples yet' : note}</p>
    </div>
  )
}
