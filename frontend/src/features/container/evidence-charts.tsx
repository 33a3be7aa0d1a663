import { useCallback, useMemo } from 'react'
import { ChartCard } from '@/charts/chart-card'
import { ChartGroup } from '@/charts/chart-group'
import { useChartTheme } from '@/charts/chart-theme'
import type { Frame } from '@/charts/plot'
import { useShell } from '@/lib/shell'
import type { Evidence } from './evidence'
import styles from './evidence-charts.module.css'
import { latencyData, preemptionsData, throttlingData, waitsData } from './evidence-data'
import {
  latencyLegend,
  latencySummary,
  PREEMPTIONS_LEGEND,
  preemptionsSummary,
  throttlingLegend,
  throttlingNote,
  throttlingSummary,
  tooltipRows,
  WAITS_LEGEND,
  waitsSummary,
} from './evidence-words'
import { HEIGHTS_PX } from './heights'
import { latencyOption, type Scale } from './latency-option'
import { preemptionsOption } from './preemptions-option'
import { hasThrottledTime, throttlingOption } from './throttling-option'
import { useZoom } from './use-zoom'
import { isSplit, waitsOption } from './waits-option'

const LEFT_PX = 54
const RIGHT_PX = { plain: 16, axis: 58 }
const TICKS = { wide: 8, narrow: 4 }

type EvidenceChartsProps = {
  evidence: Evidence
  name: string
  narrow: boolean
  scale: Scale
  onScale: (scale: Scale) => void
}

function useFrame(evidence: Evidence, narrow: boolean): Frame {
  const { zone } = useShell()
  const theme = useChartTheme()
  const right = hasThrottledTime(evidence) ? RIGHT_PX.axis : RIGHT_PX.plain
  return useMemo(
    () => ({
      theme,
      zone,
      domain: evidence.domain,
      gaps: evidence.gaps,
      inset: { left: LEFT_PX, right },
      ticks: narrow ? TICKS.narrow : TICKS.wide,
    }),
    [theme, zone, evidence, right, narrow],
  )
}

export function EvidenceCharts({ evidence, name, narrow, scale, onScale }: EvidenceChartsProps) {
  const frame = useFrame(evidence, narrow)
  const { zoom, zoomOut } = useZoom()
  const rowsAt = useCallback((index: number) => tooltipRows(evidence, index), [evidence])
  const latency = useMemo(() => latencyOption(evidence, frame, scale), [evidence, frame, scale])
  const waits = useMemo(() => waitsOption(evidence, frame), [evidence, frame])
  const preemptions = useMemo(() => preemptionsOption(evidence, frame), [evidence, frame])
  const throttling = useMemo(() => throttlingOption(evidence, frame), [evidence, frame])
  const shared = { theme: frame.theme, domain: frame.domain, zone: frame.zone }
  return (
    <ChartGroup
      buckets={evidence.buckets}
      domain={evidence.domain}
      inset={frame.inset}
      zone={frame.zone}
      rowsAt={rowsAt}
      onZoom={zoom}
      onZoomOut={zoomOut}
    >
      <div className={styles.charts}>
        <ChartCard
          {...shared}
          title="Run queue latency"
          unit={`${scale} scale`}
          legend={latencyLegend(evidence)}
          summary={latencySummary(evidence)}
          option={latency}
          data={latencyData(evidence)}
          height={HEIGHTS_PX.latency}
          filename={`${name}-run-queue-latency`}
          controls={<ScaleSwitch scale={scale} onScale={onScale} />}
        />
        <ChartCard
          {...shared}
          title="Waited, by cause"
          unit="CPU-s per s"
          legend={WAITS_LEGEND}
          summary={waitsSummary(evidence)}
          option={waits}
          data={waitsData(evidence)}
          height={HEIGHTS_PX.waits}
          filename={`${name}-waits`}
          note={
            isSplit(evidence) ? undefined : 'the agent of this host does not tell causes apart: update it'
          }
        />
        <ChartCard
          {...shared}
          title="Preemptions by cause"
          unit="involuntary switches out per second"
          legend={PREEMPTIONS_LEGEND}
          summary={preemptionsSummary(evidence)}
          option={preemptions}
          data={preemptionsData(evidence)}
          height={HEIGHTS_PX.preemptions}
          filename={`${name}-preemptions`}
        />
        <ChartCard
          {...shared}
          title="Throttling"
          unit="% of periods"
          legend={throttlingLegend(evidence)}
          summary={throttlingSummary(evidence)}
          option={throttling}
          data={throttlingData(evidence)}
          height={HEIGHTS_PX.throttling}
          filename={`${name}-throttling`}
          note={throttlingNote(evidence)}
        />
      </div>
    </ChartGroup>
  )
}

function ScaleSwitch({ scale, onScale }: { scale: Scale; onScale: (scale: Scale) => void }) {
  const other = scale === 'log' ? 'linear' : 'log'
  return (
    <button type="button" onClick={() => onScale(other)} aria-label={`Draw latency on a ${other} scale`}>
      {other === 'log' ? 'Log' : 'Linear'}
    </button>
  )
}
