import styles from './skeleton.module.css'

/** A grey place-holder in the size of what comes. */
export function Skeleton({
  width = '100%',
  height = 12,
}: {
  width?: number | string
  height?: number | string
}) {
  return <span className={styles.bone} style={{ width, height }} aria-hidden />
}

const WIDE = ['62%', '48%', '71%', '55%', '66%', '44%'] as const
/** A narrow column has no width of its own to take a share of. */
const NARROW = [52, 44, 60, 48, 56, 40] as const

/** Uneven widths read as text; the pattern repeats, so snapshots are stable. */
export function SkeletonText({ index = 0, wide = true }: { index?: number; wide?: boolean }) {
  const widths = wide ? WIDE : NARROW
  return <Skeleton width={widths[index % widths.length]} />
}
