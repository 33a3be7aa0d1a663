import { CircleX, type LucideIcon, MinusCircle, TriangleAlert } from 'lucide-react'
import { bytes, count, percent } from '@/lib/format'
import { Badge, type Tone } from '@/ui/badge'
import type { AgentItem, CollectorStatus } from './agents-query'
import styles from './collectors.module.css'

type Status = CollectorStatus['status']

const LOOK: Record<Exclude<Status, 'ok'>, { tone: Tone; icon: LucideIcon; word: string }> = {
  failed: { tone: 'err', icon: CircleX, word: 'failed' },
  degraded: { tone: 'warn', icon: TriangleAlert, word: 'degraded' },
  unsupported: { tone: 'outline', icon: MinusCircle, word: 'not on this kernel' },
}

/** Healthy collectors in a few grey words; each that is not stands out, with what the agent said. */
export function Collectors({
  collectors,
  cost,
}: {
  collectors: readonly CollectorStatus[]
  cost: AgentItem['cost']
}) {
  if (collectors.length === 0) return <span className="quiet">none reported</span>
  const healthy = collectors.filter((one) => one.status === 'ok')
  const troubled = collectors.filter((one) => one.status !== 'ok')
  return (
    <div className={styles.cell}>
      {healthy.length > 0 ? (
        <span className="secondary" title={healthy.map(occupancy).join('\n')}>
          {healthy.map((one) => one.name).join(', ')} <span className="quiet">ok</span>
        </span>
      ) : null}
      {troubled.map((one) => (
        <Trouble key={one.name} collector={one} />
      ))}
      {cost !== null && (cost.governor_level ?? 0) > 0 ? (
        <span className={styles.trouble}>
          <Badge tone="warn" icon={TriangleAlert}>
            saving, step {count(cost.governor_level)}
          </Badge>
          <span className={styles.reason}>{cost.governor_reason ?? 'no reason given'}</span>
        </span>
      ) : null}
    </div>
  )
}

/** How full its maps are; a full map loses what comes next. */
function occupancy(one: CollectorStatus): string {
  const maps = one.maps.map(
    (map) =>
      `${map.name} ${count(map.used)} of ${count(map.capacity)} (${percent(map.used_ratio, 0)})` +
      (map.failed_inserts > 0 ? `, ${count(map.failed_inserts)} did not fit` : ''),
  )
  const memory = one.map_bytes === null ? '' : ` ${bytes(one.map_bytes)} of maps`
  return `${one.name}:${memory}${maps.length > 0 ? `; ${maps.join(', ')}` : ''}`
}

function Trouble({ collector }: { collector: CollectorStatus }) {
  if (collector.status === 'ok') return null
  const { tone, icon, word } = LOOK[collector.status]
  return (
    <span className={styles.trouble}>
      <Badge tone={tone} icon={icon}>
        {collector.name} {word}
      </Badge>
      <span className={styles.reason}>{collector.reason ?? 'no reason given'}</span>
    </span>
  )
}

/** Records that a collector could not keep, of all collectors of an agent. */
export function lostRecords(collectors: readonly CollectorStatus[]): number {
  return collectors.reduce((sum, one) => sum + one.lost, 0)
}

export function Lost({
  records,
  batches,
  events,
}: {
  records: number
  batches: number | null
  events: AgentItem['event_loss']
}) {
  const parts: string[] = []
  if (batches) parts.push(`${count(batches)} batches`)
  if (records) parts.push(`${count(records)} records`)
  const lostEvents = (events?.ring_full ?? 0) + (events?.queue_full ?? 0)
  if (lostEvents > 0) parts.push(`${count(lostEvents)} events`)
  if (parts.length === 0) return <span className="secondary">{batches === null ? '–' : '0'}</span>
  return <span className={styles.lost}>{parts.join(', ')}</span>
}
