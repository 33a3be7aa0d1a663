import { cpuSeconds, percent } from '@/lib/format'
import { PartSwatch, SplitBar } from '@/ui/split-bar'
import { type Ledger, ledgerLines } from './ledger'
import styles from './ledger-split.module.css'

/** Where the demanded CPU time went; the lines add up to the head. */
export function LedgerSplit({ ledger }: { ledger: Ledger | null }) {
  if (ledger === null) {
    return (
      <div className={styles.ledger}>
        <p className={styles.head}>Where its demand went</p>
        <SplitBar label="Demand" parts={[]} height={22} />
        <p className={styles.note}>no samples in this range</p>
      </div>
    )
  }
  const lines = ledgerLines(ledger)
  return (
    <div className={styles.ledger}>
      <p className={styles.head}>
        <span>Where {cpuSeconds(ledger.demand_seconds)} CPU-s of demand went</span>
        <span className={styles.waited}>{percent(ledger.wait_ratio)} waited</span>
      </p>
      <SplitBar label="Demand" parts={lines} height={22} />
      <dl className={styles.lines}>
        {lines.map((line) => (
          <div
            key={line.part}
            className={line.value > 0 ? styles.line : `${styles.line} ${styles.none}`}
            title={line.explained}
          >
            <dt>
              <PartSwatch part={line.part} />
              {line.name}
            </dt>
            <dd className={styles.share}>{line.share}</dd>
            <dd className={styles.seconds}>{line.text}</dd>
          </div>
        ))}
      </dl>
      {ledger.parts.length === 0 ? (
        <p className={styles.note}>
          waited {cpuSeconds(ledger.wait_seconds)} CPU-s; its agent does not say by whom: update it
        </p>
      ) : null}
    </div>
  )
}
