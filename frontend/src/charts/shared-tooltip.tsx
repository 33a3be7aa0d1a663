import { useLayoutEffect, useRef, useState } from 'react'
import { clockTime, fullTime, type Zone } from '@/lib/clock'
import { duration } from '@/lib/format'
import styles from './shared-tooltip.module.css'
import { type Mark, Swatch } from './swatch'

export type TooltipRow = { name: string; value: string; mark: Mark }

/** Between the crosshair and the box. */
const BESIDE_PX = 12

type SharedTooltipProps = {
  /** Width of the charts and place of the crosshair in it, pixels. */
  room: number
  crosshair: number
  /** The bucket, epoch milliseconds. */
  start: number
  stepSeconds: number
  withDate: boolean
  zone: Zone
  rows: readonly TooltipRow[]
}

/** One box for all charts, beside the crosshair: right of it while there is room, else left. */
export function SharedTooltip(props: SharedTooltipProps) {
  const { room, crosshair, start, stepSeconds, withDate, zone, rows } = props
  const box = useRef<HTMLDivElement>(null)
  const [own, setOwn] = useState(0)
  useLayoutEffect(() => setOwn(box.current?.offsetWidth ?? 0))
  const right = crosshair + BESIDE_PX
  const left = right + own <= room ? right : Math.max(0, crosshair - BESIDE_PX - own)
  return (
    <div ref={box} className={styles.box} style={{ left }} role="status" aria-label="Values at the crosshair">
      <p className={styles.head}>
        <span className={styles.time}>{withDate ? fullTime(start, zone) : clockTime(start, zone)}</span>{' '}
        {duration(stepSeconds)} window
      </p>
      <ul className={styles.rows}>
        {rows.map((row) => (
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
