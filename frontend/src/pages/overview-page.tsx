import { PageHead } from '@/ui/page-head'

export function OverviewPage() {
  return <PageHead title="Overview" />
}
