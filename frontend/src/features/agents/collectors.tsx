import { CircleX, type LucideIcon, MinusCircle, TriangleAlert } from 'lucide-react'
import { count } from '@/lib/format'
import { Badge, type Tone } from '@/ui/badge'
import type { CollectorStatus } from './agents-query'
import styles from './collectors.module.css'

type Status = CollectorStatus['status']

const LOOK: Record<Exclude<Status, 'ok'>, { tone: Tone; icon: LucideIcon; word: string }> = {
  failed: { tone: 'err', icon: CircleX, word: 'failed' },
  degraded: { tone: 'warn', icon: TriangleAlert, word: 'degraded' },
  unsupported: { tone: 'outline', icon: MinusCircle, word: 'not on this kernel' },
}

/** Healthy collectors in a few grey words; each that is not stands out, with what the agent said. */
export function Collectors({ collectors }: { collectors: readonly CollectorStatus[] }) {
  if (collectors.length === 0) return <span className="quiet">none reported</span>
  const healthy = collectors.filter((one) => one.status === 'ok')
  const troubled = collectors.filter((one) => one.status !== 'ok')
  return (
    <div className={styles.cell}>
      {healthy.length > 0 ? (
        <span className="secondary">
          {healthy.map((one) => one.name).join(', ')} <span className="quiet">ok</span>
        </span>
      ) : null}
      {troubled.map((one) => (
        <Trouble key={one.name} collector={one} />
      ))}
    </div>
  )
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

export function Lost({ records, batches }: { records: number; batches: number | null }) {
  const parts: string[] = []
  if (batches) parts.push(`${count(batches)} batches`)
  if (records) parts.push(`${count(records)} records`)
  if (parts.length === 0) return <span className="secondary">{batches === null ? '–' : '0'}</span>
  return <span className={styles.lost}>{parts.join(', ')}</span>
}
