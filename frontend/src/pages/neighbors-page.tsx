import { PageHead } from '@/ui/page-head'

export function NeighborsPage() {
  return <PageHead title="Neighbors" />
}
