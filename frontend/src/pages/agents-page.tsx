import { PageHead } from '@/ui/page-head'

export function AgentsPage() {
  return <PageHead title="Agents" />
}
