import type { ReactNode } from 'react'
import styles from './page-head.module.css'
import { useTitle } from './use-title'

type PageHeadProps = {
  title: ReactNode
  mono?: boolean
  trail?: ReactNode
  badge?: ReactNode
  facts?: ReactNode
  actions?: ReactNode
  inline?: boolean
}

/** Title of the page with the facts that say what it covers. */
export function PageHead({ title, mono, trail, badge, facts, actions, inline = false }: PageHeadProps) {
  useTitle(typeof title === 'string' ? title : null)
  return (
    <header className={styles.head}>
      <div className={styles.main}>
        {trail ? (
          <nav aria-label="Breadcrumb" className={styles.trail}>
            {trail}
          </nav>
        ) : null}
        <div className={inline ? styles.inline : styles.stacked}>
          <div className={styles.title}>
            <h1 className={mono ? styles.mono : undefined}>{title}</h1>
            {badge}
          </div>
          {facts ? <div className={styles.facts}>{facts}</div> : null}
        </div>
      </div>
      {actions ? <div className={styles.actions}>{actions}</div> : null}
    </header>
  )
}

export function Fact({ name, children }: { name?: string; children: ReactNode }) {
  return (
    <span className={styles.fact}>
      {name ? <span className={styles.factName}>{name}</span> : null}
      {children}
    </span>
  )
}
