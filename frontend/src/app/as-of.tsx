import { ClockAlert } from 'lucide-react'
import { useShell } from '@/lib/shell'
import { Freshness } from '@/ui/freshness'
import { useNow } from '@/ui/use-now'
import styles from './as-of.module.css'

const OLD_AFTER_MS = 120_000

/** Age of the newest stored window. Old figures carry a mark, whatever the page shows. */
export function AsOf({ at }: { at: string | null | undefined }) {
  const { zone } = useShell()
  const now = useNow(10_000)
  if (at === undefined) return null
  if (at === null) return <span className={styles.stamp}>no data yet</span>
  const old = now - Date.parse(at) > OLD_AFTER_MS
  return (
    <span className={old ? styles.old : styles.stamp}>
      {old ? <ClockAlert size={14} strokeWidth={1.75} aria-hidden /> : null}
      <Freshness at={at} zone={zone} />
    </span>
  )
}
