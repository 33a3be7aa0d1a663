import type { LucideIcon } from 'lucide-react'
import type { ComponentPropsWithRef } from 'react'
import styles from './button.module.css'

type ButtonProps = ComponentPropsWithRef<'button'> & {
  variant?: 'primary' | 'outlined' | 'plain'
  size?: 'normal' | 'small'
  icon?: LucideIcon
  busy?: boolean
}

export function Button({
  variant = 'outlined',
  size = 'normal',
  icon: Icon,
  busy,
  className,
  children,
  ...rest
}: ButtonProps) {
  const classes = [
    styles.button,
    styles[variant],
    styles[size],
    children === undefined ? styles.square : '',
    className,
  ]
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      className={classes.filter(Boolean).join(' ')}
      {...rest}
    >
      {Icon ? (
        <Icon size={15} strokeWidth={1.75} aria-hidden className={busy ? styles.turning : undefined} />
      ) : null}
      {children}
    </button>
  )
}
