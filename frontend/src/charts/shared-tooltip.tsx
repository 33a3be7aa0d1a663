import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { clockTime, fullTime, type Zone } from '@/lib/clock'
import { duration } from '@/lib/format'
import { type Buckets, bucketMiddle } from './gaps'
import styles from './shared-tooltip.module.css'
import { type Mark, Swatch } from './swatch'
import type { Domain } from './time-ticks'
import { type Inset, xOf } from './zoom'

export type TooltipRow = { name: string; value: string; mark: Mark }

/** Room between the crosshair and the box. */
const BESIDE_PX = 12
const DAY_MS = 86_400_000

type SharedTooltipProps = {
  holder: RefObject<HTMLDivElement | null>
  buckets: Buckets
  domain: Domain
  inset: Inset
  zone: Zone
  instant: number
  rowsAt: (index: number) => TooltipRow[]
}

export function nearestBucket(buckets: Buckets, instant: number): number | null {
  const first = buckets.starts[0]
  if (first === undefined) return null
  const index = Math.floor((instant / 1000 - first) / buckets.stepSeconds)
  return Math.min(buckets.starts.length - 1, Math.max(0, index))
}

/** One box for all charts, beside the crosshair: right of it while there is room, else left. */
export function SharedTooltip(props: SharedTooltipProps) {
  const { holder, buckets, domain, inset, zone, instant, rowsAt } = props
  const box = useRef<HTMLDivElement>(null)
  const [left, setLeft] = useState<number | null>(null)
  const index = nearestBucket(buckets, instant)
  const middle = index === null ? instant : bucketMiddle(buckets, index)
  useLayoutEffect(() => {
    const width = holder.current?.clientWidth ?? 0
    const own = box.current?.offsetWidth ?? 0
    const crosshair = xOf(middle, width, inset, domain)
    const right = crosshair + BESIDE_PX
    setLeft(right + own <= width ? right : Math.max(0, crosshair - BESIDE_PX - own))
  }, [holder, middle, inset, domain])
  if (index === null) return null
  const start = (buckets.starts[index] ?? 0) * 1000
  const longRange = domain.to - domain.from > DAY_MS
  return (
    <div
      ref={box}
      className={styles.box}
      style={{ left: left ?? 0, visibility: left === null ? 'hidden' : 'visible' }}
      role="status"
      aria-label="Values at the crosshair"
    >
      <p className={styles.head}>
        <span className={styles.time}>{longRange ? fullTime(start, zone) : clockTime(start, zone)}</span>{' '}
        {duration(buckets.stepSeconds)} window
      </p>
      <ul className={styles.rows}>
        {rowsAt(index).map((row) => (
          <li key={row.name} className={styles.row}>
            <span className={styles.mark}>
              <Swatch {...row.mark} />
            </span>
            {row.name}
            <span className={styles.value}>{row.value}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
