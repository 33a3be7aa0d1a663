import styles from './inline-bar.module.css'

type InlineBarProps = {
  ratio: number | null
  tone: 'aggressor' | 'victim' | 'system' | 'quota' | 'ran' | 'self'
  width?: number
}

/** A bar beside its number in a table cell; the number carries the value, so the bar is silent. */
export function InlineBar({ ratio, tone, width = 80 }: InlineBarProps) {
  const share = Math.min(1, Math.max(0, ratio ?? 0))
  return (
    <span className={ratio === null ? styles.missing : styles.track} style={{ width }} aria-hidden>
      {share > 0 ? <span className={styles[tone]} style={{ width: `max(2px, ${share * 100}%)` }} /> : null}
    </span>
  )
}
