import { useCallback } from 'react'
import type { Domain } from '@/charts/time-ticks'
import { zoomedOut } from '@/charts/zoom'
import { useSetSearch } from '@/lib/shell'
import { toIso } from '@/lib/time-range'

/** Zooming is asking again: the range goes into the address, and the answer comes at a finer step. */
export function useZoom(domain: Domain): { zoom: (to: Domain) => void; zoomOut: () => void } {
  const setSearch = useSetSearch()
  const zoom = useCallback(
    ({ from, to }: Domain) => setSearch({ from: toIso(from), to: toIso(to) }),
    [setSearch],
  )
  const zoomOut = useCallback(() => zoom(zoomedOut(domain, Date.now())), [zoom, domain])
  return { zoom, zoomOut }
}
