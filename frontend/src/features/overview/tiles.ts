import type { HostTile } from './overview-query'

export type Family = { name: string; tiles: HostTile[] }
export type Step = 1 | 2 | 3 | 4 | 5 | 6

/** Below this a fleet is calm, and its worst host must not look like trouble: 36 CPU-s in an hour. */
const CALM_TOP_CORES = 0.01

/** By family, the largest first; hosts keep their order, so that a tile stays in its place. */
export function byFamily(tiles: readonly HostTile[]): Family[] {
  const families = new Map<string, HostTile[]>()
  for (const tile of tiles) {
    const name = tile.instance_family ?? ''
    const list = families.get(name)
    if (list) list.push(tile)
    else families.set(name, [tile])
  }
  return [...families]
    .map(([name, list]) => ({ name, tiles: list }))
    .sort((a, b) => b.tiles.length - a.tiles.length || a.name.localeCompare(b.name))
}

export function topOf(tiles: readonly HostTile[]): number {
  return tiles.reduce((top, tile) => Math.max(top, tile.neighbor_wait_cores ?? 0), CALM_TOP_CORES)
}

/** Six steps, each three times the one before: rates of hosts span decades. */
export function stepOf(value: number, top: number): Step {
  if (value <= 0) return 1
  const below = Math.floor(Math.log(top / value) / Math.log(3) + 1e-9)
  return Math.max(1, 6 - below) as Step
}

export function isSilent(tile: HostTile): boolean {
  return tile.state !== 'live' || tile.neighbor_wait_cores === null
}

export function worst(tiles: readonly HostTile[]): HostTile | null {
  return tiles.reduce<HostTile | null>(
    (found, tile) => ((tile.neighbor_wait_cores ?? 0) > (found?.neighbor_wait_cores ?? 0) ? tile : found),
    null,
  )
}
