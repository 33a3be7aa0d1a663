import { useMatches } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { Button } from '@/ui/button'
import { AsOf } from './as-of'
import { CopyLink } from './copy-link'
import { RefreshMenu } from './refresh-menu'
import { ThemeMenu } from './theme-menu'
import { TimeRangePicker } from './time-range-picker'
import styles from './top-bar.module.css'
import { ZoneSwitch } from './zone-switch'

type TopBarProps = { asOf: string | null | undefined; onMenu: () => void; onSearch: () => void }

export function TopBar({ asOf, onMenu, onSearch }: TopBarProps) {
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.title ?? '' })
  return (
    <header className={styles.bar}>
      <Button
        variant="plain"
        icon={MenuIcon}
        aria-label="Open menu"
        className={styles.menu}
        onClick={onMenu}
      />
      <span className={styles.title} aria-hidden>
        {title}
      </span>
      <button type="button" className={styles.search} onClick={onSearch}>
        <Search size={14} strokeWidth={1.75} aria-hidden />
        Host or container
        <kbd className={styles.key}>Ctrl K</kbd>
      </button>
      <div className={styles.controls}>
        <AsOf at={asOf} />
        <Button
          variant="plain"
          icon={Search}
          aria-label="Search"
          className={styles.phoneSearch}
          onClick={onSearch}
        />
        <TimeRangePicker />
        <span className={styles.wide}>
          <ZoneSwitch />
        </span>
        <span className={styles.medium}>
          <RefreshMenu />
        </span>
        <span className={styles.medium}>
          <CopyLink />
        </span>
        <span className={styles.wide}>
          <ThemeMenu />
        </span>
      </div>
    </header>
  )
}
