import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './badge.module.css'

export type Tone =
  | 'aggressor'
  | 'victim'
  | 'system'
  | 'quota'
  | 'lock'
  | 'neutral'
  | 'outline'
  | 'warn'
  | 'err'

/** Icon and word on a soft ground: colour alone never carries the fact. */
export function Badge({
  tone,
  icon: Icon,
  title,
  children,
}: {
  tone: Tone
  icon: LucideIcon
  title?: string
  children: ReactNode
}) {
  return (
    <span className={`${styles.badge} ${styles[tone]}`} title={title}>
      <Icon size={13} strokeWidth={1.75} aria-hidden />
      {children}
    </span>
  )
}
