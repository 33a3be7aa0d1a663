import { PageHead } from '@/ui/page-head'

export function ContainerPage() {
  return <PageHead title="Container" />
}
