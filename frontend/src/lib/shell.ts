import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { Zone } from './clock'
import { autoRefreshMs, type TimeRange } from './time-range'
import { rangeOf, type ShellSearch } from './url-state'

/** Range, zone and refresh of the page, read from its address. */
export type Shell = { range: TimeRange; zone: Zone; refetchInterval: number | false; refreshing: boolean }

export function shellOf(search: ShellSearch): Shell {
  const range = rangeOf(search)
  const refreshing = search.refresh !== 'off'
  return {
    range,
    zone: search.tz ?? 'utc',
    refetchInterval: refreshing ? autoRefreshMs(range) : false,
    refreshing,
  }
}

export function useShell(): Shell {
  return useSearch({
    strict: false,
    select: (search) => shellOf(search as ShellSearch),
    structuralSharing: true,
  })
}

/** Changes some parameters of the present address; pushes, so that Back undoes it. */
export function useSetSearch(): (
  change: Record<string, string | number | undefined>,
  replace?: boolean,
) => void {
  const navigate = useNavigate()
  return useCallback(
    (change, replace = false) => {
      void navigate({ to: '.', search: (before: object) => ({ ...before, ...change }) as never, replace })
    },
    [navigate],
  )
}
