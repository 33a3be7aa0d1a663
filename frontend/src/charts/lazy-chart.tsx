import { lazy, Suspense } from 'react'
import type { ChartProps } from './chart'
import styles from './chart.module.css'

const load = () => import('./chart')

/** Starts the download of ECharts beside the page's own data. */
export function preloadCharts(): void {
  // The chart itself says what to do when this fails.
  load().catch(() => undefined)
}

const Drawn = lazy(() =>
  load().then(
    ({ Chart }) => ({ default: Chart }),
    () => ({ default: NotLoaded }),
  ),
)

export function LazyChart(props: ChartProps) {
  return (
    <Suspense fallback={<div style={{ height: props.height }} />}>
      <Drawn {...props} />
    </Suspense>
  )
}

/** After an update of the backend, a page opened before asks for a file that is gone. */
function NotLoaded({ height }: ChartProps) {
  return (
    <p className={styles.missing} style={{ height }} role="alert">
      The charts could not be loaded.{' '}
      <button type="button" className="text-link" onClick={() => window.location.reload()}>
        Reload the page
      </button>
    </p>
  )
}
