import { toIso } from '@/lib/time-range'
import type { Buckets } from './gaps'

/** One series as numbers: for the table beside the picture and for the file. */
export type ChartColumn = {
  name: string
  /** Column name in the file, unit last. */
  field: string
  values: readonly (number | null)[]
  format: (value: number | null) => string
}

export type ChartData = { buckets: Buckets; columns: readonly ChartColumn[] }

/** RFC 4180; an unknown value is an empty cell, never 0. */
export function chartCsv({ buckets, columns }: ChartData): string {
  const head = ['time', 'duration_seconds', ...columns.map((column) => column.field)]
  const rows = buckets.starts.map((start, index) => [
    toIso(start * 1000),
    String(buckets.stepSeconds),
    ...columns.map((column) => String(column.values[index] ?? '')),
  ])
  return `${[head, ...rows].map((cells) => cells.join(',')).join('\r\n')}\r\n`
}
