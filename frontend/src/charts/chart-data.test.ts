import { expect, it } from 'vitest'
import { chartCsv } from './chart-data'

it('writes one line per bucket with units in the head and nothing for the unknown', () => {
  const csv = chartCsv({
    buckets: { starts: [1_790_000_000, 1_790_000_010], stepSeconds: 10 },
    columns: [
      { name: 'P99', field: 'runq_p99_seconds', values: [0.131072, null], format: String },
      { name: 'P50', field: 'runq_p50_seconds', values: [0, 0.0019], format: String },
    ],
  })
  expect(csv.split('\r\n')).toEqual([
    'time,duration_seconds,runq_p99_seconds,runq_p50_seconds',
    '2026-09-21T14:13:20Z,10,0.131072,0',
    '2026-09-21T14:13:30Z,10,,0.0019',
    '',
  ])
})
