import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { fleetQuery } from '@/features/fleet/fleet-query'
import { isUnreachable } from '@/lib/api'
import { useShell } from '@/lib/shell'
import styles from './frame.module.css'
import { SideNav } from './side-nav'
import { StatusBanner } from './status-banner'
import { TopBar } from './top-bar'
import { type Dialog, useShortcuts } from './use-shortcuts'

const FLEET_REFRESH_MS = 10_000

// Opened by few and late, so not part of the first load.
const SearchDialog = lazy(() => import('./search-dialog').then((file) => ({ default: file.SearchDialog })))
const HelpDialog = lazy(() => import('./help-dialog').then((file) => ({ default: file.HelpDialog })))

export function Frame() {
  const { refreshing } = useShell()
  const fleet = useQuery({ ...fleetQuery, refetchInterval: refreshing ? FLEET_REFRESH_MS : false })
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const [menuOpen, setMenuOpen] = useState(false)
  const main = useFocusOnNewPage(() => setMenuOpen(false))
  useShortcuts(setDialog)
  const lost = fleet.isError && isUnreachable(fleet.error)

  return (
    <div className={styles.frame}>
      <a href="#content" className={styles.skip}>
        Skip to content
      </a>
      <SideNav fleet={fleet.data} open={menuOpen} onClose={() => setMenuOpen(false)} onDialog={setDialog} />
      <div className={styles.page}>
        <TopBar
          asOf={fleet.data?.as_of}
          onMenu={() => setMenuOpen(true)}
          onSearch={() => setDialog('search')}
        />
        <StatusBanner fleet={fleet} />
        <main id="content" ref={main} tabIndex={-1} className={lost ? styles.lost : styles.main}>
          <Outlet />
        </main>
      </div>
      <Suspense>
        {dialog === 'search' ? <SearchDialog onClose={() => setDialog(null)} /> : null}
        {dialog === 'help' ? <HelpDialog onClose={() => setDialog(null)} /> : null}
      </Suspense>
    </div>
  )
}

/** After a page change the focus starts at the new page, as it would after a full load. */
function useFocusOnNewPage(onChange: () => void) {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    main.current?.focus({ preventScroll: true })
    onChange()
  }, [pathname, onChange])
  return main
}
