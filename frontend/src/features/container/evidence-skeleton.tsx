import { Skeleton } from '@/ui/skeleton'
import styles from './evidence-charts.module.css'
import { HEIGHTS_PX } from './heights'

/** The strip in its final size before the first answer: heads and grid lines. */
export function EvidenceSkeleton() {
  return (
    <div className={styles.charts}>
      {Object.entries(HEIGHTS_PX).map(([chart, height]) => (
        <div key={chart}>
          <div className={styles.boneHead}>
            <Skeleton width={280} />
          </div>
          <div className={styles.bonePlot} style={{ height }} />
        </div>
      ))}
    </div>
  )
}
