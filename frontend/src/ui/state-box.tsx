import { CircleAlert, type LucideIcon, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError } from '@/lib/api'
import { Button } from './button'
import styles from './state-box.module.css'

type StateBoxProps = {
  icon?: LucideIcon
  title: ReactNode
  action?: ReactNode
  tone?: 'quiet' | 'err' | 'warn'
  children?: ReactNode
}

/** The place of a table or chart that has nothing to draw: the fact, the number, the next step. */
export function StateBox({ icon: Icon, title, action, tone = 'quiet', children }: StateBoxProps) {
  return (
    <div className={styles.box} role={tone === 'err' ? 'alert' : undefined}>
      <p className={styles.title}>
        {Icon ? <Icon size={16} strokeWidth={1.75} aria-hidden className={styles[tone]} /> : null}
        {title}
      </p>
      {children ? <div className={styles.text}>{children}</div> : null}
      {action ? <div className={styles.action}>{action}</div> : null}
    </div>
  )
}

/** Nothing was measured: drawn hatched, so that it never looks like zero. */
export function NoSamples({
  title = 'No samples in this range',
  children,
}: {
  title?: string
  children?: ReactNode
}) {
  return (
    <div className={styles.hatched}>
      <StateBox title={title}>{children}</StateBox>
    </div>
  )
}

type ErrorBoxProps = { error: Error; what: string; onRetry: () => void; retrying?: boolean }

export function ErrorBox({ error, what, onRetry, retrying }: ErrorBoxProps) {
  const requestId = error instanceof ApiError ? error.requestId : null
  return (
    <StateBox
      icon={CircleAlert}
      tone="err"
      title={`Could not load ${what}`}
      action={
        <Button size="small" icon={RotateCw} busy={retrying} onClick={onRetry}>
          Retry
        </Button>
      }
    >
      <p>{error.message}</p>
      {requestId ? (
        <p>
          Request <code>{requestId}</code>
        </p>
      ) : null}
    </StateBox>
  )
}
