import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './chip.module.css'

/** A filter that is on or off. */
export function Chip({ on, onToggle, children }: { on: boolean; onToggle: () => void; children: ReactNode }) {
  return (
    <button type="button" aria-pressed={on} className={on ? styles.on : styles.chip} onClick={onToggle}>
      {children}
    </button>
  )
}

/** A filter that came from a link and can only be taken away. */
export function FilterChip({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  return (
    <button
      type="button"
      className={styles.on}
      onClick={onRemove}
      aria-label={`Remove filter ${name} ${value}`}
    >
      <span className={styles.name}>{name}</span> {value}
      <X size={13} strokeWidth={2} aria-hidden />
    </button>
  )
}
