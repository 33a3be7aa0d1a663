// Fails the build when the first load or a chunk outgrows its budget (compressed KiB).
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const BUDGETS_KIB = { first: 250, charts: 270, route: 40 }
const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))
const kib = (file) => gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length / 1024

const eager = new Set()
const follow = (key) => {
  if (eager.has(key)) return
  eager.add(key)
  for (const next of manifest[key].imports ?? []) follow(next)
}
follow('index.html')

const first = [...eager].reduce((sum, key) => sum + kib(manifest[key].file), 0)
const lines = [['first load', first, BUDGETS_KIB.first]]
for (const [key, chunk] of Object.entries(manifest)) {
  if (eager.has(key) || !chunk.file.endsWith('.js')) continue
  const isChart = /chart|echarts/.test(chunk.name ?? '')
  lines.push([chunk.name ?? key, kib(chunk.file), isChart ? BUDGETS_KIB.charts : BUDGETS_KIB.route])
}
let failed = false
for (const [name, size, budget] of lines) {
  if (size > budget) failed = true
  if (size > 5)
    process.stdout.write(
      `${size > budget ? 'OVER ' : ''}${name}: ${size.toFixed(1)} of ${budget} KiB compressed\n`,
    )
}
process.exit(failed ? 1 : 0)
