import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api'
import type { TimeRange } from '@/lib/time-range'

export type Hit = { kind: 'host' | 'container'; id: string; name: string; where: string }

const HOSTS_SHOWN = 5
const CONTAINERS_SHOWN = 8

async function find(q: string, range: TimeRange, signal: AbortSignal): Promise<Hit[]> {
  const query = { ...range, q, sort: 'name' }
  const [hosts, containers] = await Promise.all([
    unwrap(api.GET('/api/v1/hosts', { params: { query: { ...query, limit: HOSTS_SHOWN } }, signal })),
    unwrap(
      api.GET('/api/v1/containers', {
        params: { query: { ...query, limit: CONTAINERS_SHOWN, kind: 'all' } },
        signal,
      }),
    ),
  ])
  return [
    ...hosts.items.map(
      (host): Hit => ({
        kind: 'host',
        id: host.id,
        name: host.name,
        where: host.instance_type ?? host.kernel_release ?? '',
      }),
    ),
    ...containers.items.map(
      (one): Hit => ({ kind: 'container', id: one.id, name: one.name, where: `on ${one.host_name}` }),
    ),
  ]
}

export const searchQuery = (q: string, range: TimeRange) =>
  queryOptions({
    queryKey: ['search', q, range],
    queryFn: ({ signal }) => find(q, range, signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
