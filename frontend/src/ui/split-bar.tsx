import styles from './split-bar.module.css'

/** The fixed order of the parts; the same on every page, in mail and in print. */
export type Part =
  | 'ran'
  | 'self'
  | 'aggressor'
  | 'system'
  | 'quota'
  | 'ancestor'
  | 'idle'
  | 'unattributed'
  | 'victim'

export type SplitPart = { part: Part; name: string; value: number; text: string }

type SplitBarProps = { parts: readonly SplitPart[]; label: string; height?: 22 | 14 | 8 }

function mark(part: Part): string | undefined {
  return styles[part]
}

/** Parts of a whole side by side; every part that is not zero stays visible. */
export function SplitBar({ parts, label, height = 22 }: SplitBarProps) {
  const shown = parts.filter((part) => part.value > 0)
  // In percent: flex items whose factors add up to less than 1 would not fill the bar.
  const whole = shown.reduce((sum, part) => sum + part.value, 0) / 100
  const words = parts.map((part) => `${part.name} ${part.text}`).join(', ')
  return (
    <div className={styles.bar} style={{ height }} role="img" aria-label={`${label}: ${words}`}>
      {shown.map((part) => (
        <span
          key={part.part}
          className={mark(part.part)}
          style={{ flexGrow: part.value / whole }}
          title={`${part.name} ${part.text}`}
        />
      ))}
      {shown.length === 0 ? <span className={styles.empty} style={{ flexGrow: 1 }} /> : null}
    </div>
  )
}

/** The colour of a part beside its words. */
export function PartSwatch({ part }: { part: Part }) {
  return <span className={`${styles.swatch} ${mark(part)}`} aria-hidden />
}

export function SplitLegend({ parts }: { parts: readonly SplitPart[] }) {
  return (
    <ul className={styles.legend}>
      {parts.map((part) => (
        <li key={part.part} className={styles.entry}>
          <PartSwatch part={part.part} />
          {part.name}
          <span className={styles.value}>{part.text}</span>
        </li>
      ))}
    </ul>
  )
}
