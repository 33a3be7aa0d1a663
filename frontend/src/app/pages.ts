import {
  ArrowLeftRight,
  Box,
  LayoutGrid,
  ListOrdered,
  type LucideIcon,
  RadioTower,
  Server,
} from 'lucide-react'

type Page = {
  to: '/' | '/containers' | '/hosts' | '/neighbors' | '/events' | '/agents'
  title: string
  icon: LucideIcon
  key: string
}

/** The pages of the navigation, in its order; `key` follows `g`. */
export const PAGES: readonly Page[] = [
  { to: '/', title: 'Overview', icon: LayoutGrid, key: 'o' },
  { to: '/containers', title: 'Containers', icon: Box, key: 'c' },
  { to: '/hosts', title: 'Hosts', icon: Server, key: 'h' },
  { to: '/neighbors', title: 'Neighbors', icon: ArrowLeftRight, key: 'n' },
  { to: '/events', title: 'Events', icon: ListOrdered, key: 'e' },
  { to: '/agents', title: 'Agents', icon: RadioTower, key: 'a' },
]
