import { DatePicker } from '@mantine/dates'
import '@mantine/dates/styles.layer.css'
import { type FormEvent, useState } from 'react'
import { fullTime, type Zone, zoneName } from '@/lib/clock'
import {
  checkRange,
  instantOf,
  isRelative,
  PRESETS,
  readTyped,
  relativeLabel,
  type TimeRange,
} from '@/lib/time-range'
import { Button } from '@/ui/button'
import { rangeLabel } from './range-label'
import { recentRanges } from './recent-ranges'
import styles from './time-range-panel.module.css'

const CALENDAR_LABELS = {
  nextMonth: 'Next month',
  previousMonth: 'Previous month',
  nextYear: 'Next year',
  previousYear: 'Previous year',
  nextDecade: 'Next decade',
  previousDecade: 'Previous decade',
}

type TimeRangePanelProps = { range: TimeRange; zone: Zone; onApply: (range: TimeRange) => void }

/** An end as it stands in its field, ready to be changed by hand. */
function asTyped(end: string, zone: Zone): string {
  if (isRelative(end)) return end
  const instant = instantOf(end, Date.now())
  return instant === null ? end : fullTime(instant, zone)
}

function dayOf(text: string, zone: Zone): string | null {
  const instant = instantOf(readTyped(text, zone) ?? text, Date.now())
  return instant === null ? null : fullTime(instant, zone).slice(0, 10)
}

export function TimeRangePanel({ range, zone, onApply }: TimeRangePanelProps) {
  const [from, setFrom] = useState(asTyped(range.from, zone))
  const [to, setTo] = useState(asTyped(range.to, zone))
  const [tried, setTried] = useState(false)
  const [firstDay, setFirstDay] = useState<string | null>(null)

  const wanted = { from: readTyped(from, zone) ?? from, to: readTyped(to, zone) ?? to }
  const problem = checkRange(wanted, Date.now())
  const recent = recentRanges().filter((one) => relativeLabel(one) === null)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!problem) onApply(wanted)
  }
  const pickDays = ([first, last]: [string | null, string | null]) => {
    setFirstDay(last === null ? first : null)
    if (first) setFrom(`${first} 00:00`)
    if (first) setTo(`${last ?? first} 23:59:59`)
  }
  const days: [string | null, string | null] = firstDay
    ? [firstDay, null]
    : [dayOf(from, zone), dayOf(to, zone)]

  return (
    <div className={styles.panel}>
      <div className={styles.quick}>
        <h3 className={styles.head}>Last</h3>
        <ul className={styles.presets}>
          {PRESETS.map((preset) => {
            const one = { from: `now-${preset}`, to: 'now' }
            return (
              <li key={preset}>
                <button
                  type="button"
                  className={styles.preset}
                  aria-pressed={one.from === range.from && one.to === range.to}
                  onClick={() => onApply(one)}
                >
                  {relativeLabel(one)}
                </button>
              </li>
            )
          })}
        </ul>
        {recent.length > 0 ? <Recent ranges={recent} zone={zone} onApply={onApply} /> : null}
      </div>
      <form className={styles.exact} onSubmit={submit} noValidate>
        <End
          name="From"
          value={from}
          onChange={setFrom}
          problem={tried && problem?.field === 'from' ? problem.message : null}
        />
        <End
          name="To"
          value={to}
          onChange={setTo}
          problem={tried && problem?.field === 'to' ? problem.message : null}
        />
        <DatePicker
          type="range"
          hideOutsideDates
          ariaLabels={CALENDAR_LABELS}
          size="sm"
          allowSingleDateInRange
          value={days}
          onChange={pickDays}
          classNames={{ day: styles.day }}
        />
        <div className={styles.foot}>
          <span className="quiet">Times in {zoneName(zone)}</span>
          <Button type="submit" variant="primary">
            Apply
          </Button>
        </div>
      </form>
    </div>
  )
}

function End({
  name,
  value,
  problem,
  onChange,
}: {
  name: string
  value: string
  problem: string | null
  onChange: (text: string) => void
}) {
  const id = `range-${name.toLowerCase()}`
  return (
    <div className={styles.end}>
      <label htmlFor={id} className={styles.label}>
        {name}
      </label>
      <input
        id={id}
        className={styles.input}
        value={value}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== null}
        aria-describedby={problem ? `${id}-problem` : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {problem ? (
        <p id={`${id}-problem`} className={styles.problem}>
          {problem}
        </p>
      ) : null}
    </div>
  )
}

function Recent({
  ranges,
  zone,
  onApply,
}: {
  ranges: TimeRange[]
  zone: Zone
  onApply: (range: TimeRange) => void
}) {
  return (
    <>
      <h3 className={styles.head}>Recent</h3>
      <ul className={styles.recent}>
        {ranges.map((one) => (
          <li key={`${one.from} ${one.to}`}>
            <button type="button" className={styles.preset} onClick={() => onApply(one)}>
              {rangeLabel(one, zone)}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
