import { zoneName } from '@/lib/clock'
import { useSetSearch, useShell } from '@/lib/shell'
import { Button } from '@/ui/button'

/** A browser in UTC calls its own zone UTC too; the word tells which clock was chosen. */
function localName(): string {
  const name = zoneName('local')
  return name === 'UTC' ? 'Local' : name
}

export function ZoneSwitch() {
  const { zone } = useShell()
  const setSearch = useSetSearch()
  const other = zone === 'utc' ? localName() : 'UTC'
  return (
    <Button
      title={`Switch times to ${other}`}
      onClick={() => setSearch({ tz: zone === 'utc' ? 'local' : undefined }, true)}
    >
      <span className="visually-hidden">Times in</span> {zone === 'utc' ? 'UTC' : localName()}
    </Button>
  )
}
