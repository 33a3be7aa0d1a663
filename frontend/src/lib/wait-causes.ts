import type { Schemas } from './api'

export type WaitCause = Schemas['LedgerPart']['cause']

/** The part of the split bar that a cause is drawn as. */
export type WaitPart = 'self' | 'aggressor' | 'system' | 'quota' | 'ancestor' | 'idle' | 'unattributed'

/** One word per cause, on the bar, in the list, in the chart and in its table. */
export const WAIT_CAUSES: Record<WaitCause, { part: WaitPart; name: string; explained: string }> = {
  self: { part: 'self', name: 'own threads', explained: 'waited while another task of this container ran' },
  neighbor: { part: 'aggressor', name: 'neighbors', explained: 'waited while another container ran' },
  system: { part: 'system', name: 'system', explained: 'waited while a system service or the kernel ran' },
  throttled_own: { part: 'quota', name: 'own quota', explained: 'its own CFS quota was used up' },
  throttled_ancestor: {
    part: 'ancestor',
    name: 'quota above',
    explained: 'a quota of a cgroup above it was used up',
  },
  idle_gap: { part: 'idle', name: 'idle gap', explained: 'from wakeup to run on an idle CPU' },
  unattributed: {
    part: 'unattributed',
    name: 'unattributed',
    explained: 'waited, but the record does not reach; never scaled up',
  },
}
