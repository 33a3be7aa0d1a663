import type { Schemas } from '@/lib/api'
import { META } from './container-fixtures'

type Neighbor = Schemas['NeighborItem']

const TOTAL = 171_400

export function neighborItem(over: Partial<Neighbor> = {}): Neighbor {
  return {
    rank: 1,
    id: '17-00000000000000ba',
    kind: 'container',
    name: 'batch-encode',
    host_id: '17',
    host_name: 'i-0a1b4c7d2e',
    image: 'registry.example/batch-encode:112',
    namespace: 'media-pipeline',
    preemptions: 54_100,
    preemptions_per_second: 30.1,
    share_ratio: 0.316,
    victims: 6,
    hosts: 1,
    worst_victim: { id: '17-000c4ec0a7a91000', name: 'checkout-api-7c9d4-x2kfm', runq_p99_seconds: 0.131072 },
    top_victims: [
      { id: '17-000c4ec0a7a91000', name: 'checkout-api-7c9d4-x2kfm', share_ratio: 0.45 },
      { id: '17-0000000000000002', name: 'feature-store-0', share_ratio: 0.25 },
      { id: '17-0000000000000003', name: 'session-store-2', share_ratio: 0.18 },
    ],
    cpu_used_cores: 102.4,
    ...over,
  }
}

const NAMES = [
  ['spark-etl-exec-12', 'data-platform', 35_800, 5, 0.061, 'feature-store-0', 0.52, 61.2],
  ['model-train-0', 'ml-platform', 20_700, 4, 0.038, 'ads-bidder-5d8f7', 0.53, 44.8],
  ['log-compactor-x1', 'observability', 13_000, 4, 0.0094, 'session-store-2', 0.46, 2.1],
  ['thumbnailer-7ffd', 'media-pipeline', 9_270, 3, 0.0071, 'title-artwork-5f', 0.62, 12.6],
  ['ci-runner-44a', 'dev-infra', 7_440, 3, 0.012, 'billing-ledger-66b', 0.63, 18.3],
  ['search-index-3', 'search', 4_840, 3, 0.0052, 'api-gateway-77c', 0.41, 9.6],
  ['kafka-mirror-1', 'streaming', 3_620, 2, 0.0038, 'session-store-2', 0.67, 3.4],
  ['clamav-scan', 'security', 2_060, 2, 0.0029, 'playback-license-9', 0.66, 0.9],
  ['recs-ranker-9bd', 'personalization', 1_640, 2, 0.0017, 'feature-store-0', 0.64, 7.7],
] as const

const SERVICES = [
  ['kubelet.service', 8_810, 57, 0.0041, 'session-store-2', 0.41, 0.9],
  ['containerd.service', 3_980, 31, 0.0068, 'title-artwork-5f', 0.61, 0.3],
  ['kworker', 2_750, 46, 0.0011, 'search-index-3', 0.4, 0.4],
  ['systemd', 1_340, 18, 0.0009, 'title-artwork-5f', 0.66, 0.1],
] as const

function victims(first: string, share: number): Neighbor['top_victims'] {
  return [
    { id: '17-0000000000000010', name: first, share_ratio: share },
    { id: '17-0000000000000011', name: 'recs-ranker-9bd', share_ratio: (1 - share) * 0.6 },
  ]
}

export function neighborList(over: Partial<Schemas['NeighborList']> = {}): Schemas['NeighborList'] {
  const items = NAMES.map(([name, namespace, preemptions, count, p99, most, share, cores], index) =>
    neighborItem({
      rank: index + 2,
      id: `18-00000000000001${String(index).padStart(2, '0')}`,
      name,
      namespace,
      host_name: index % 2 === 0 ? 'i-0c52e81f90' : 'i-07d4419ac3',
      preemptions,
      preemptions_per_second: preemptions / 1800,
      share_ratio: preemptions / TOTAL,
      victims: count,
      worst_victim: { id: '17-0000000000000010', name: most, runq_p99_seconds: p99 },
      top_victims: victims(most, share),
      cpu_used_cores: cores,
    }),
  )
  const services = SERVICES.map(([name, preemptions, count, p99, most, share, cores], index) =>
    neighborItem({
      rank: index + 1,
      id: `17-00000000000002${String(index).padStart(2, '0')}`,
      kind: 'system',
      name,
      namespace: null,
      image: null,
      preemptions,
      preemptions_per_second: preemptions / 1800,
      share_ratio: preemptions / 16_880,
      victims: count,
      worst_victim: { id: '17-0000000000000010', name: most, runq_p99_seconds: p99 },
      top_victims: victims(most, share),
      cpu_used_cores: cores,
    }),
  )
  return {
    ...META,
    items: [neighborItem(), ...items],
    next_cursor: 'after-10',
    total: 41,
    system_items: services,
    ranked_by: 'preemptions',
    total_preemptions: TOTAL,
    ...over,
  }
}

export function emptyNeighbors(): Schemas['NeighborList'] {
  return neighborList({ items: [], system_items: [], total: 0, next_cursor: null, total_preemptions: 0 })
}
