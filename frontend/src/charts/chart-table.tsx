import { clockTime, fullTime, type Zone } from '@/lib/clock'
import styles from './chart-card.module.css'
import type { ChartData } from './chart-data'

type ChartTableProps = { label: string; data: ChartData; zone: Zone; height: number }

const DAY_SECONDS = 86_400
const LEAST_PX = 180

/** The same numbers for those who cannot read the picture; newest first, as in a log. */
export function ChartTable({ label, data, zone, height }: ChartTableProps) {
  const { starts } = data.buckets
  const long = (starts.at(-1) ?? 0) - (starts[0] ?? 0) > DAY_SECONDS
  const time = long ? fullTime : clockTime
  const rows = starts.map((start, index) => ({ start, index })).reverse()
  return (
    <section
      className={styles.scroll}
      style={{ height: Math.max(height, LEAST_PX) }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
    >
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {data.columns.map((column) => (
              <th key={column.field} scope="col">
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ start, index }) => (
            <tr key={start}>
              <th scope="row">{time(start * 1000, zone)}</th>
              {data.columns.map((column) => (
                <td key={column.field}>{column.format(column.values[index] ?? null)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
