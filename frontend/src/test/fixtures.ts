import type { Schemas } from '@/lib/api'

const NOW = '2026-11-18T10:47:10Z'

export const META = {
  range: { from: '2026-11-18T09:47:10Z', to: NOW },
  as_of: NOW,
  coverage: { hosts_reporting: 1, hosts_known: 1, ratio: 0.994 },
} satisfies Partial<Schemas['HostList']>

export function aHost(change: Partial<Schemas['HostItem']> = {}): Schemas['HostItem'] {
  return {
    id: '1',
    name: 'i-0a1b4c7d2e',
    state: 'live',
    last_seen_at: NOW,
    cpus: 192,
    cores: 96,
    sockets: 2,
    numa_nodes: 2,
    l3_domains: 12,
    threads_per_core: 2,
    cache_architecture: 'chiplet',
    cpu_model: 'AMD EPYC 7R13',
    memory_bytes: 412_316_860_416,
    kernel_release: '6.8.0',
    instance_type: 'm6a.metal',
    instance_family: 'm6a',
    region: 'us-east-1',
    cgroup_mode: 'v2',
    agent_version: '0.1.0',
    hypervisor: null,
    containers: 19,
    cpu_used_ratio: 0.992,
    steal_ratio: 0,
    runq_p99_seconds: 0.131072,
    preempted_by_neighbors_per_second: 653.8,
    ...change,
  }
}

export function anAgent(change: Partial<Schemas['AgentItem']> = {}): Schemas['AgentItem'] {
  return {
    host_id: '1',
    host_name: 'i-0a1b4c7d2e',
    state: 'live',
    version: '0.1.0',
    last_seen_at: NOW,
    window_at: '2026-11-18T10:47:00Z',
    clock_skew_seconds: 0.004,
    lost_batches: 0,
    sequence: 18_231,
    collectors: [
      { name: 'sched', status: 'ok', reason: null, lost: 0 },
      { name: 'throttle', status: 'ok', reason: null, lost: 0 },
    ],
    cost: {
      bpf_ns_per_switch: 214,
      context_switches_per_second: 41_200,
      cpu_ratio: 0.0021,
      rss_bytes: 11_400_000,
      spool_batches: 0,
      spool_bytes: 0,
      spool_dropped: 0,
    },
    ...change,
  }
}

export function aContainer(change: Partial<Schemas['ContainerItem']> = {}): Schemas['ContainerItem'] {
  return {
    id: '1-00000000000000aa',
    host_id: '1',
    host_name: 'i-0a1b4c7d2e',
    host_state: 'live',
    kind: 'container',
    name: 'checkout-api',
    runtime: 'docker',
    image: 'checkout:7c9d4',
    pod: null,
    namespace: null,
    quota_cores: null,
    cpu_used_cores: 1.4,
    runq_p50_seconds: 0.0019,
    runq_p99_seconds: 0.131072,
    wait_seconds: 477,
    ran_seconds: 1023,
    wait_ratio: 0.318,
    preempted_self_per_second: 4.1,
    preempted_other_per_second: 57.2,
    preempted_system_per_second: 0.8,
    throttled_ratio: null,
    throttled_seconds: null,
    last_seen_at: NOW,
    ...change,
  }
}

export function aNeighbor(change: Partial<Schemas['NeighborItem']> = {}): Schemas['NeighborItem'] {
  return {
    rank: 1,
    id: '1-00000000000000bb',
    kind: 'container',
    name: 'batch-encode',
    host_id: '1',
    host_name: 'i-0a1b4c7d2e',
    image: null,
    namespace: null,
    preemptions: 2_353_680,
    preemptions_per_second: 653.8,
    share_ratio: 0.61,
    victims: 5,
    hosts: 1,
    worst_victim: { id: '1-00000000000000aa', name: 'checkout-api', runq_p99_seconds: 0.131072 },
    top_victims: [{ id: '1-00000000000000aa', name: 'checkout-api', share_ratio: 0.62 }],
    cpu_used_cores: 102.4,
    ...change,
  }
}

export function anOverview(change: Partial<Schemas['OverviewAnswer']> = {}): Schemas['OverviewAnswer'] {
  return {
    ...META,
    hosts_known: 1,
    hosts_live: 1,
    hosts_stale: 0,
    containers_running: 19,
    preempted_by_neighbors_per_second: 653.8,
    containers_waiting: 3,
    containers_throttled: 1,
    waiting_threshold_seconds: 0.01,
    throttled_threshold_ratio: 0.05,
    wait_seconds: 6_748,
    ran_seconds: 93_252,
    top_neighbors: [aNeighbor()],
    worst_containers: [aContainer()],
    host_tiles: [{ host_id: '1', name: 'i-0a1b4c7d2e', instance_family: 'm6a', state: 'live', value: 653.8 }],
    trend: {
      t: [1_790_000_000, 1_790_000_060, 1_790_000_120],
      preempted_by_neighbors_per_second: [12, 640, 653.8],
      throttled_containers: [1, 1, 1],
      waiting_containers: [0, 3, 3],
    },
    ...change,
  }
}

export function aPage<T>(items: T[], change: { next_cursor?: string | null; total?: number } = {}) {
  return { ...META, items, next_cursor: null, total: items.length, ...change }
}
