import { Link, useRouter } from '@tanstack/react-router'
import { type MouseEvent, memo } from 'react'
import { count, plural, stolenPerHour } from '@/lib/format'
import { InlineBar } from '@/ui/inline-bar'
import { LivenessBadge } from '@/ui/liveness'
import { Skeleton } from '@/ui/skeleton'
import styles from './host-tiles.module.css'
import type { HostTile } from './overview-query'
import { byFamily, isSilent, stepOf, topOf, worst } from './tiles'

/** Up to here a list says more than squares. */
const LIST_UP_TO_HOSTS = 12

export function HostTiles({ tiles }: { tiles: readonly HostTile[] }) {
  if (tiles.length <= LIST_UP_TO_HOSTS) return <HostList tiles={tiles} />
  return <HostMap tiles={tiles} />
}

function words(tile: HostTile): string {
  return isSilent(tile) ? `${tile.name}, silent` : `${tile.name}, ${stolenPerHour(tile.neighbor_wait_cores)}`
}

const HostMap = memo(function HostMap({ tiles }: { tiles: readonly HostTile[] }) {
  const router = useRouter()
  const top = topOf(tiles)
  const most = worst(tiles)
  const silent = tiles.filter(isSilent).length
  // One listener for thousands of tiles; a click with a modifier stays the browser's.
  const follow = (event: MouseEvent<HTMLElement>) => {
    const id = event.target instanceof HTMLElement ? event.target.dataset.host : undefined
    if (id === undefined || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    void router.navigate({ to: '/containers', search: { host_id: id } })
  }
  return (
    <div>
      <p className="visually-hidden">
        {plural(tiles.length, 'host')}, {count(silent)} silent
        {most ? `, most stolen on ${words(most)}` : ''}. The hosts page lists them all.
      </p>
      {/* The keyboard goes by the hosts page: thousands of squares are no tab stops. */}
      <div onClick={follow} aria-hidden>
        {byFamily(tiles).map((family) => (
          <div key={family.name} className={styles.family}>
            <p className={styles.head}>
              <span>{family.name || 'type unknown'}</span>
              <span className="num">{plural(family.tiles.length, 'host')}</span>
            </p>
            <div className={styles.tiles}>
              {family.tiles.map((tile) => (
                <a
                  key={tile.host_id}
                  data-host={tile.host_id}
                  href={`/containers?host_id=${tile.host_id}`}
                  tabIndex={-1}
                  title={words(tile)}
                  className={isSilent(tile) ? styles.silent : tile === most ? styles.most : styles.tile}
                  style={
                    isSilent(tile)
                      ? undefined
                      : { background: `var(--wait-${stepOf(tile.neighbor_wait_cores ?? 0, top)})` }
                  }
                >
                  {tile.name}
                </a>
              ))}
            </div>
          </div>
        ))}
      </div>
      <Legend top={top} />
    </div>
  )
})

function Legend({ top }: { top: number }) {
  return (
    <div className={styles.legend} aria-hidden>
      <span>0</span>
      {[1, 2, 3, 4, 5, 6].map((step) => (
        <span key={step} className={styles.swatch} style={{ background: `var(--wait-${step})` }} />
      ))}
      <span className="num">{stolenPerHour(top)}</span>
      <span className={styles.legendSilent}>
        <span className={styles.silent} /> silent
      </span>
    </div>
  )
}

function HostList({ tiles }: { tiles: readonly HostTile[] }) {
  const top = topOf(tiles)
  return (
    <ul className={styles.list}>
      {tiles.map((tile) => (
        <li key={tile.host_id} className={styles.row}>
          <Link to="/containers" search={{ host_id: tile.host_id }} className="link mono">
            {tile.name}
          </Link>
          {isSilent(tile) ? (
            <LivenessBadge state={tile.state === 'live' ? 'never' : tile.state} />
          ) : (
            <span className={styles.amount}>
              <InlineBar ratio={(tile.neighbor_wait_cores ?? 0) / top} tone="aggressor" width={88} />
              <span className="num">{stolenPerHour(tile.neighbor_wait_cores)}</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

export function HostTilesSkeleton() {
  return (
    <div className={styles.bones}>
      {[58, 34, 70, 58].map((height, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: place-holders have no identity
        <Skeleton key={index} height={height} />
      ))}
    </div>
  )
}
