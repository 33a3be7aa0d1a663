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

const WIDTHS = ['62%', '48%', '71%', '55%', '66%', '44%'] as const

/** Uneven widths read as text; the pattern repeats, so snapshots are stable. */
export function SkeletonText({ index = 0 }: { index?: number }) {
  return <Skeleton width={WIDTHS[index % WIDTHS.length]} />
}
