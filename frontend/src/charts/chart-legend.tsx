import styles from './chart-card.module.css'
import { type Mark, Swatch } from './swatch'

export type LegendEntry = { name: string; mark?: Mark; value?: string }

export function ChartLegend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <ul className={styles.legend}>
      {entries.map(({ name, mark, value }) => (
        <li key={name} className={styles.entry}>
          {mark ? <Swatch {...mark} /> : null}
          {name}
          {value ? <span className={styles.value}>{value}</span> : null}
        </li>
      ))}
    </ul>
  )
}
