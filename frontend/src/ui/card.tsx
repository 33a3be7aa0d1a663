import type { ReactNode } from 'react'
import { useId } from 'react'
import styles from './card.module.css'

type CardProps = {
  title?: ReactNode
  /** What the figures cover, in the secondary colour after the title. */
  sub?: ReactNode
  /** Right end of the head: a note, CSV, segments. */
  aside?: ReactNode
  /** Tables reach the card's edges; everything else keeps its distance. */
  flush?: boolean
  className?: string
  children: ReactNode
}

export function Card({ title, sub, aside, flush = false, className, children }: CardProps) {
  const id = useId()
  return (
    <section
      className={[styles.card, className].filter(Boolean).join(' ')}
      aria-labelledby={title ? id : undefined}
    >
      {title ? (
        <header className={flush ? styles.headRuled : styles.head}>
          <h2 id={id}>{title}</h2>
          {sub ? <span className={styles.sub}>{sub}</span> : null}
          {aside ? <div className={styles.aside}>{aside}</div> : null}
        </header>
      ) : null}
      <div className={flush ? styles.flush : styles.body}>{children}</div>
    </section>
  )
}
