import { Menu } from '@mantine/core'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { Check, ChevronDown, RefreshCw } from 'lucide-react'
import { useSetSearch, useShell } from '@/lib/shell'
import { autoRefreshMs, isLive } from '@/lib/time-range'
import { Button } from '@/ui/button'
import styles from './menu.module.css'

export function RefreshMenu() {
  const { range, refreshing } = useShell()
  const setSearch = useSetSearch()
  const client = useQueryClient()
  const fetching = useIsFetching() > 0
  const every = autoRefreshMs(range)
  const check = <Check size={14} aria-hidden className={styles.check} />
  return (
    <Menu position="bottom-end" width={210} classNames={{ dropdown: styles.menu, item: styles.item }}>
      <Menu.Target>
        <Button
          icon={RefreshCw}
          busy={fetching}
          title={isLive(range) ? undefined : 'The range is fixed, so nothing new can arrive'}
        >
          <span className="visually-hidden">Refresh</span> {refreshing && every ? 'Auto' : 'Off'}
          <ChevronDown size={14} strokeWidth={1.75} aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item rightSection={<kbd>r</kbd>} onClick={() => void client.invalidateQueries()}>
          Refresh now
        </Menu.Item>
        <Menu.Item
          role="menuitemradio"
          aria-checked={refreshing}
          rightSection={refreshing ? check : null}
          onClick={() => setSearch({ refresh: undefined }, true)}
        >
          {every ? `Auto, every ${Math.round(every / 1000)} s` : 'Auto, when the range ends now'}
        </Menu.Item>
        <Menu.Item
          role="menuitemradio"
          aria-checked={!refreshing}
          rightSection={refreshing ? null : check}
          onClick={() => setSearch({ refresh: 'off' }, true)}
        >
          Off
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
