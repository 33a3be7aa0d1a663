import { Skeleton } from '@/ui/skeleton'
import { HEIGHTS_PX } from './evidence-charts'
import styles from './evidence-charts.module.css'

const HEAD_PX = 26

/** The strip in its final size before the first answer. */
export function EvidenceSkeleton() {
  return (
    <div className={styles.charts}>
      {Object.entries(HEIGHTS_PX).map(([chart, height]) => (
        <div key={chart} className={styles.bone} style={{ height: HEAD_PX + height }}>
          <Skeleton width={180} />
          <Skeleton height={height - 14} />
        </div>
      ))}
    </div>
  )
}
