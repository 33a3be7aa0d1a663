import { Link } from '@tanstack/react-router'
import { CircleHelp, X } from 'lucide-react'
import { useEffect } from 'react'
import type { Overview } from '@/features/fleet/fleet-query'
import { count } from '@/lib/format'
import { Button } from '@/ui/button'
import { AccountMenu } from './account-menu'
import { Logo } from './logo'
import { PAGES } from './pages'
import styles from './side-nav.module.css'
import { ThemeMenu } from './theme-menu'
import type { Dialog } from './use-shortcuts'
import { ZoneSwitch } from './zone-switch'

type SideNavProps = {
  fleet?: Overview
  open: boolean
  onClose: () => void
  onDialog: (dialog: Dialog) => void
}

export function SideNav({ fleet, open, onClose, onDialog }: SideNavProps) {
  useEffect(() => {
    if (!open) return
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && onClose()
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [open, onClose])

  return (
    <>
      {open ? <div className={styles.veil} onClick={onClose} aria-hidden /> : null}
      <nav className={open ? styles.open : styles.nav} aria-label="Pages">
        <div className={styles.top}>
          <Link to="/" className={styles.brand}>
            <Logo />
            Neighborwatch
          </Link>
          <Button
            variant="plain"
            icon={X}
            aria-label="Close menu"
            className={styles.close}
            onClick={onClose}
          />
        </div>
        <ul className={styles.list}>
          {PAGES.map(({ to, title, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                className={styles.item}
                activeOptions={{ exact: to === '/', includeSearch: false }}
              >
                <Icon size={16} strokeWidth={1.6} aria-hidden />
                {title} <PageCount to={to} fleet={fleet} />
              </Link>
            </li>
          ))}
        </ul>
        <div className={styles.bottom}>
          <div className={styles.phone}>
            <ZoneSwitch />
            <ThemeMenu />
          </div>
          <button type="button" className={styles.item} onClick={() => onDialog('help')}>
            <CircleHelp size={16} strokeWidth={1.6} aria-hidden />
            Help <span className={styles.count}>?</span>
          </button>
          <AccountMenu className={styles.item} roleClassName={styles.count} />
        </div>
      </nav>
    </>
  )
}

function PageCount({ to, fleet }: { to: string; fleet?: Overview }) {
  if (!fleet) return null
  if (to === '/containers') return <span className={styles.count}>{count(fleet.containers_running)}</span>
  if (to === '/hosts') return <span className={styles.count}>{count(fleet.hosts_known)}</span>
  if (to === '/agents' && fleet.hosts_stale > 0) {
    return <span className={styles.silent}>{count(fleet.hosts_stale)} silent</span>
  }
  return null
}
