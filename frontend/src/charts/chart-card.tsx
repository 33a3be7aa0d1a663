import { type CSSProperties, type ReactNode, useId, useRef, useState } from 'react'
import { shortTime, type Zone } from '@/lib/clock'
import type { ChartHandle } from './chart'
import styles from './chart-card.module.css'
import { type ChartData, chartCsv } from './chart-data'
import { ChartLegend, type LegendEntry } from './chart-legend'
import type { ChartOption } from './chart-option'
import { composePicture } from './chart-picture'
import { ChartTable } from './chart-table'
import type { ChartTheme } from './chart-theme'
import { LazyChart } from './lazy-chart'
import { plotEdges } from './plot'
import { saveCanvas, saveFile } from './save-file'
import type { Domain } from './time-ticks'

type ChartCardProps = {
  title: string
  unit: string
  legend: readonly LegendEntry[]
  /** One sentence for those who cannot see the picture. */
  summary: string
  option: ChartOption
  data: ChartData
  theme: ChartTheme
  domain: Domain
  zone: Zone
  height: number
  /** Name of saved files, without ending. */
  filename: string
  controls?: ReactNode
  /** A fact about an empty plot, drawn inside it. */
  note?: string
}

/** Head, plot and ways out of one chart. It draws no border: charts on one time axis share a card. */
export function ChartCard(props: ChartCardProps) {
  const {
    title,
    unit,
    legend,
    summary,
    option,
    data,
    theme,
    domain,
    zone,
    height,
    filename,
    controls,
    note,
  } = props
  const id = useId()
  const chart = useRef<ChartHandle>(null)
  const [asTable, setAsTable] = useState(false)
  const { top, bottom } = plotEdges(option)
  const edges = { '--plot-top': `${top}px`, '--plot-bottom': `${bottom}px` } as CSSProperties
  const savePicture = () => {
    const plot = chart.current?.picture(theme.surface)
    if (!plot) return
    const range = `${shortTime(domain.from, zone)} to ${shortTime(domain.to, zone)}${zone === 'utc' ? ' UTC' : ''}`
    saveCanvas(composePicture(plot, { title, unit, legend, range }, theme), `${filename}.png`)
  }
  const saveCsv = () => saveFile(new Blob([chartCsv(data)], { type: 'text/csv' }), `${filename}.csv`)
  return (
    <figure className={styles.figure} aria-labelledby={id} aria-describedby={`${id}-summary`}>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        <span className={styles.unit}>{unit}</span>
        <ChartLegend entries={legend} />
        <div className={styles.actions}>
          {controls}
          <button
            type="button"
            aria-pressed={asTable}
            aria-label={`Show ${title} as table`}
            onClick={() => setAsTable(!asTable)}
          >
            Table
          </button>
          {asTable ? null : (
            <button
              type="button"
              className={styles.file}
              aria-label={`Save ${title} as PNG`}
              onClick={savePicture}
            >
              PNG
            </button>
          )}
          <button type="button" className={styles.file} aria-label={`Save ${title} as CSV`} onClick={saveCsv}>
            CSV
          </button>
        </div>
      </div>
      <figcaption id={`${id}-summary`} className="visually-hidden">
        {summary}
      </figcaption>
      {asTable ? (
        <ChartTable label={`${title}, ${unit}`} data={data} zone={zone} height={height} />
      ) : (
        <div className={styles.plot} style={edges}>
          <LazyChart ref={chart} option={option} height={height} />
          {note ? <p className={styles.note}>{note}</p> : null}
        </div>
      )}
    </figure>
  )
}
