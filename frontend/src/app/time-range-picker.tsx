import { Popover } from '@mantine/core'
import { ChevronDown, Clock } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useSetSearch, useShell } from '@/lib/shell'
import { DEFAULT_RANGE, type TimeRange } from '@/lib/time-range'
import { Button } from '@/ui/button'
import { rangeLabel } from './range-label'
import { rememberRange } from './recent-ranges'
import styles from './time-range-picker.module.css'

const TimeRangePanel = lazy(() =>
  import('./time-range-panel').then((file) => ({ default: file.TimeRangePanel })),
)

export function TimeRangePicker() {
  const { range, zone } = useShell()
  const setSearch = useSetSearch()
  const [open, setOpen] = useState(false)
  const apply = (next: TimeRange) => {
    const isDefault = next.from === DEFAULT_RANGE.from && next.to === DEFAULT_RANGE.to
    // A cursor belongs to the rows of the old range.
    setSearch({
      from: isDefault ? undefined : next.from,
      to: isDefault ? undefined : next.to,
      cursor: undefined,
    })
    rememberRange(next)
    setOpen(false)
  }
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button data-key="t" icon={Clock} onClick={() => setOpen(!open)} className={styles.button}>
          <span className="visually-hidden">Time range</span>{' '}
          <span className={styles.label}>{rangeLabel(range, zone)}</span>
          <ChevronDown size={14} strokeWidth={1.75} aria-hidden />
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.panel} aria-label="Time range">
        <Suspense fallback={<div className={styles.waiting} />}>
          {open ? <TimeRangePanel range={range} zone={zone} onApply={apply} /> : null}
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
