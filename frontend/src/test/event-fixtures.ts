import type { Schemas } from '@/lib/api'

export function anEvent(change: Partial<Schemas['EventItem']> = {}): Schemas['EventItem'] {
  return {
    id: '1-1790000000000000-1',
    kind: 'noisy_neighbor',
    ended_at: '2026-11-18T10:41:12Z',
    duration_seconds: 0.131,
    sentence: 'checkout-api waited 131 ms on CPU 37: batch-encode ran 128.7 ms of it.',
    host_id: '1',
    host_name: 'i-0a1b4c7d2e',
    container_id: '1-00000000000000aa',
    container_name: 'checkout-api',
    container_kind: 'container',
    quota_level: null,
    cpu: 37,
    pid: 4711,
    comm: 'java',
    skipped: 0,
    shares: [
      { who: 'container', id: '1-00000000000000bb', name: 'batch-encode', seconds: 0.1287, ratio: 0.982 },
      { who: 'system', id: '1-00000000000000cc', name: 'kubelet.service', seconds: 0.0023, ratio: 0.018 },
    ],
    ...change,
  }
}
