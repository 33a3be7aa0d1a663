import { PageHead } from '@/ui/page-head'

export function HostsPage() {
  return <PageHead title="Hosts" />
}
