import type { Schemas } from '@/lib/api'
import { META } from './container-fixtures'

type Neighbor = Schemas['NeighborItem']

const TOTAL = 171_400
/** CPU-s of waiting per preemption in this story. */
const STOLEN_EACH = 0.01

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
    stolen_cpu_seconds: 541,
    stolen_cpu_seconds_per_hour: 1_082,
    preemptions: 54_100,
    preemptions_per_second: 30.1,
    share_ratio: 0.316,
    victims: 6,
    hosts: 1,
    worst_victim: worst('17-000c4ec0a7a91000', 'checkout-api-7c9d4-x2kfm', 0.131072),
    top_victims: [
      victim('17-000c4ec0a7a91000', 'checkout-api-7c9d4-x2kfm', 0.45),
      victim('17-0000000000000002', 'feature-store-0', 0.25),
      victim('17-0000000000000003', 'session-store-2', 0.18),
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

function victim(id: string, name: string, share: number): Neighbor['top_victims'][number] {
  return { id, name, share_ratio: share, stolen_cpu_seconds: share * 100, preemptions: 1_000 }
}

function worst(id: string, name: string, p99: number): Neighbor['worst_victim'] {
  return { id, name, runq_p99_seconds: p99, runq_unthrottled_p99_seconds: p99 }
}

function victims(first: string, share: number): Neighbor['top_victims'] {
  return [
    victim('17-0000000000000010', first, share),
    victim('17-0000000000000011', 'recs-ranker-9bd', (1 - share) * 0.6),
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
      stolen_cpu_seconds: preemptions * STOLEN_EACH,
      stolen_cpu_seconds_per_hour: preemptions * STOLEN_EACH * 2,
      preemptions,
      preemptions_per_second: preemptions / 1800,
      share_ratio: preemptions / TOTAL,
      victims: count,
      worst_victim: worst('17-0000000000000010', most, p99),
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
      stolen_cpu_seconds: preemptions * STOLEN_EACH,
      stolen_cpu_seconds_per_hour: preemptions * STOLEN_EACH * 2,
      preemptions,
      preemptions_per_second: preemptions / 1800,
      share_ratio: preemptions / 16_880,
      victims: count,
      worst_victim: worst('17-0000000000000010', most, p99),
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
    ranked_by: 'stolen_cpu_seconds',
    total_stolen_cpu_seconds: TOTAL * STOLEN_EACH,
    total_preemptions: TOTAL,
    ...over,
  }
}

export function emptyNeighbors(): Schemas['NeighborList'] {
  return neighborList({
    items: [],
    system_items: [],
    total: 0,
    next_cursor: null,
    total_preemptions: 0,
    total_stolen_cpu_seconds: 0,
  })
}
