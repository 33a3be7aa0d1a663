import { useCallback } from 'react'
import type { Domain } from '@/charts/time-ticks'
import { zoomedOut } from '@/charts/zoom'
import { useSetSearch, useShell } from '@/lib/shell'
import { instantOf, isLive, type TimeRange, toIso, widened } from '@/lib/time-range'

/** Twice the present range; a range that ends now goes on doing so. */
export function outerRange(range: TimeRange, now: number): TimeRange | null {
  const live = isLive(range) ? widened(range) : null
  if (live !== null) return live
  const from = instantOf(range.from, now)
  const to = instantOf(range.to, now)
  if (from === null || to === null) return null
  const outer = zoomedOut({ from, to }, now)
  return { from: toIso(outer.from), to: toIso(outer.to) }
}

/** Zooming is asking again: the range goes into the address, and the answer comes at a finer step. */
export function useZoom(): { zoom: (to: Domain) => void; zoomOut: () => void } {
  const setSearch = useSetSearch()
  const { range } = useShell()
  const zoom = useCallback(
    ({ from, to }: Domain) => setSearch({ from: toIso(from), to: toIso(to) }),
    [setSearch],
  )
  const zoomOut = useCallback(() => {
    const outer = outerRange(range, Date.now())
    if (outer !== null) setSearch(outer)
  }, [setSearch, range])
  return { zoom, zoomOut }
}
