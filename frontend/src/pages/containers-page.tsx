import { PageHead } from '@/ui/page-head'

export function ContainersPage() {
  return <PageHead title="Containers" />
}
