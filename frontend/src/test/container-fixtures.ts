import type { Schemas } from '@/lib/api'

/** 18 November 2026, 10:47:10: the moment at which all fixtures are seen. */
export const NOW = Date.parse('2026-11-18T10:47:10Z')

export const META = {
  range: { from: '2026-11-18T10:17:10Z', to: '2026-11-18T10:47:10Z' },
  as_of: '2026-11-18T10:47:10Z',
  coverage: { hosts_reporting: 480, hosts_known: 480, ratio: 1 },
}

export const VICTIM_ID = '17-000c4ec0a7a91000'

export function containerItem(over: Partial<Schemas['ContainerItem']> = {}): Schemas['ContainerItem'] {
  return {
    id: VICTIM_ID,
    host_id: '17',
    host_name: 'i-0a1b4c7d2e',
    host_state: 'live',
    kind: 'container',
    name: 'checkout-api-7c9d4-x2kfm',
    runtime: 'containerd',
    image: 'registry.example/checkout-api:7c9d4',
    pod: 'checkout-api-7c9d4-x2kfm',
    namespace: 'payments',
    quota_cores: 4,
    cpu_used_cores: 0.568,
    runq_p50_seconds: 0.0019,
    runq_p99_seconds: 0.131072,
    wait_seconds: 477,
    ran_seconds: 1023,
    wait_ratio: 0.318,
    self_wait_seconds: 31,
    neighbor_wait_seconds: 412,
    system_wait_seconds: 19,
    throttled_own_wait_seconds: 0,
    throttled_ancestor_wait_seconds: 0,
    idle_gap_wait_seconds: 11,
    unattributed_wait_seconds: 4,
    preempted_self_per_second: 4.4,
    preempted_other_per_second: 58.2,
    preempted_system_per_second: 3.1,
    throttled_ratio: 0,
    throttled_seconds: 0,
    last_seen_at: '2026-11-18T10:47:10Z',
    ...over,
  }
}

export function containerDetail(over: Partial<Schemas['ContainerDetail']> = {}): Schemas['ContainerDetail'] {
  return {
    ...containerItem(),
    labels: { app: 'checkout-api', owner: 'payments' },
    cgroup_path: '/kubepods.slice/kubepods-pod7c9d4.slice/cri-containerd-9f2b.scope',
    runtime_id: '9f2b6a40c1d75e83a1b09c5e7d21f4380a6c9b1d5e7f2034a8b6c1d9e0f37425',
    first_seen_at: '2026-11-17T08:02:40Z',
    cpus_allowed: 128,
    nr_periods: 14_400,
    nr_throttled: 0,
    ancestor_throttled_ratio: null,
    ancestor_throttled_seconds: null,
    runq_unthrottled_p99_seconds: 0.131072,
    max_wait_seconds: 0.2417,
    ...over,
  }
}

/** The same story as containerItem: 1,500 CPU-s of demand, 477 of them waited. */
export const LEDGER: Schemas['Ledger'] = {
  demand_seconds: 1500,
  ran_seconds: 1023,
  ran_ratio: 0.682,
  wait_seconds: 477,
  wait_ratio: 0.318,
  parts: (
    [
      ['self', 31],
      ['neighbor', 412],
      ['system', 19],
      ['throttled_own', 0],
      ['throttled_ancestor', 0],
      ['idle_gap', 11],
      ['unattributed', 4],
    ] as const
  ).map(([cause, seconds]) => ({
    cause,
    seconds,
    wait_ratio: seconds / 477,
    demand_ratio: seconds / 1500,
  })),
}

export const AGGRESSORS: Schemas['BlameShare'][] = [
  blameShare('batch-encode', 'container', 389.4, 0.904, 38_960),
  blameShare('search-index', 'container', 14.1, 0.033, 1_510),
  blameShare('kubelet.service', 'system', 13.2, 0.031, 1_310),
  blameShare('kworker', 'system', 5.8, 0.013, 690),
  { ...blameShare('31 other containers', 'container', 8.5, 0.019, 2_780), id: null },
]

function blameShare(
  name: string,
  kind: Schemas['BlameShare']['kind'],
  seconds: number,
  share: number,
  preemptions: number,
): Schemas['BlameShare'] {
  const code = [...name].map((c) => c.charCodeAt(0).toString(16)).join('')
  return {
    id: `17-${code.padEnd(16, '0').slice(0, 16)}`,
    name,
    kind,
    stolen_cpu_seconds: seconds,
    share_ratio: share,
    wait_ratio: seconds / 477,
    preemptions,
  }
}

export function containerAnswer(
  over: Partial<Schemas['ContainerDetail']> = {},
  answer: Partial<Schemas['ContainerAnswer']> = {},
): Schemas['ContainerAnswer'] {
  return {
    ...META,
    container: containerDetail(over),
    ledger: LEDGER,
    aggressors: AGGRESSORS,
    victims: [],
    preempted_by: [],
    ...answer,
  }
}

type Metric = Schemas['Series']['metric']
type Values = (number | null)[]

/** A series answer on a 10 s grid from the start of the range; `values` by metric, null elsewhere. */
export function seriesAnswer(
  values: Partial<Record<Metric, Values>>,
  stepSeconds = 10,
): Schemas['SeriesAnswer'] {
  const points = Math.max(...Object.values(values).map((list) => list.length))
  const start = Date.parse(META.range.from) / 1000
  return {
    ...META,
    step_seconds: stepSeconds,
    t: Array.from({ length: points }, (_, index) => start + index * stepSeconds),
    series: Object.entries(values).map(([metric, list]) => ({
      metric: metric as Metric,
      unit: metric.includes('ratio') ? 'ratio' : 'seconds',
      values: list,
    })),
  }
}

/** A repeatable number between 0 and 1 for an index: noise that is the same in each run. */
function noise(index: number, salt: number): number {
  const wave = Math.sin(index * 12.9898 + salt * 78.233) * 43_758.5453
  return wave - Math.floor(wave)
}

type Story = {
  points?: number
  since?: number
  missing?: (index: number) => boolean
  throttled?: number
  quota?: number | null
}

/** 83 µs until `since`, then 131 ms: the neighbor came. */
export function storySeries(story: Story = {}): Schemas['SeriesAnswer'] {
  const { points = 180, since = 108, missing = () => false, throttled = 0, quota = 4 } = story
  const make = (value: (index: number, struck: boolean) => number | null): Values =>
    Array.from({ length: points }, (_, index) => (missing(index) ? null : value(index, index >= since)))
  const answer = seriesAnswer(
    {
      runq_p99_seconds: make((i, struck) =>
        struck
          ? 0.125 + noise(i, 1) * 0.012
          : (noise(i, 9) > 0.97 ? 0.0004 : 0.000083) * (0.92 + noise(i, 2) * 0.16),
      ),
      runq_p50_seconds: make((i, struck) => (struck ? 0.0019 : 0.000027) * (0.85 + noise(i, 3) * 0.3)),
      runq_unthrottled_p99_seconds: make((i, struck) =>
        struck
          ? 0.125 + noise(i, 1) * 0.012
          : (noise(i, 9) > 0.97 ? 0.0004 : 0.000083) * (0.92 + noise(i, 2) * 0.16),
      ),
      neighbor_wait_cores: make((i, struck) => (struck ? 0.3 + noise(i, 11) * 0.08 : noise(i, 12) * 0.002)),
      system_wait_cores: make((i) => 0.008 + noise(i, 13) * 0.004),
      throttled_own_wait_cores: make((_, struck) => (struck ? throttled : 0)),
      throttled_ancestor_wait_cores: make(() => 0),
      self_wait_cores: make((i) => 0.015 + noise(i, 14) * 0.006),
      idle_gap_wait_cores: make((i) => 0.005 + noise(i, 15) * 0.002),
      unattributed_wait_cores: make(() => 0),
      preempted_other_per_second: make((i, struck) => (struck ? 48 + noise(i, 4) * 20 : noise(i, 5) * 0.4)),
      preempted_system_per_second: make((i) => 2 + noise(i, 6) * 1.6),
      preempted_self_per_second: make((i) => 3.6 + noise(i, 7) * 1.4),
      throttled_ratio: make((i, struck) =>
        quota === null ? null : struck ? Math.min(1, throttled * (0.8 + noise(i, 8) * 0.4)) : 0,
      ),
      throttled_seconds_per_second: make((i, struck) =>
        quota === null ? null : struck ? throttled * 1.3 * (0.8 + noise(i, 10) * 0.4) : 0,
      ),
      quota_cores: make(() => quota),
    },
    1800 / points,
  )
  return answer
}
