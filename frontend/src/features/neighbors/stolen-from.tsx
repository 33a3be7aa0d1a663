import { percent } from '@/lib/format'
import type { NeighborItem } from './neighbors-query'
import styles from './stolen-from.module.css'

type Victims = NeighborItem['top_victims']

/** The named victims and, last, all others together, so that the bar is a whole. */
export function victimShares(victims: Victims): { key: string; name: string; ratio: number }[] {
  const named = victims.map(({ id, name, share_ratio }) => ({ key: id, name, ratio: share_ratio }))
  const rest = 1 - named.reduce((sum, { ratio }) => sum + ratio, 0)
  // Shares come rounded: less than half a percent is not another victim.
  return rest > 0.005 ? [...named, { key: 'rest', name: 'others', ratio: rest }] : named
}

/** From whom the CPU was taken: the victims' blues, darkest for the most harmed. */
export function StolenFrom({ victims }: { victims: Victims }) {
  const shares = victimShares(victims)
  const words = shares.map(({ name, ratio }) => `${name} ${percent(ratio, 0)}`).join(', ')
  return (
    <span className={styles.bar} role="img" aria-label={words} title={words}>
      {shares.map(({ key, ratio }) => (
        <span key={key} className={key === 'rest' ? styles.rest : styles.part} style={{ flexGrow: ratio }} />
      ))}
    </span>
  )
}
