import type { Schemas } from '@/lib/api'
import { cpuSeconds, percent } from '@/lib/format'
import type { Part, SplitPart } from '@/ui/split-bar'

export type Ledger = Schemas['Ledger']
export type WaitCause = Schemas['LedgerPart']['cause']

/** One word per cause, on the bar, in the list, in the chart and in its table. */
export const CAUSES: Record<WaitCause, { part: Part; name: string; explained: string }> = {
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

export type LedgerLine = SplitPart & { share: string; explained: string }

/** Everything that the container demanded: what ran, then its waiting by cause, zeros included. */
export function ledgerLines(ledger: Ledger): LedgerLine[] {
  const ran: LedgerLine = {
    part: 'ran',
    name: 'ran',
    value: ledger.ran_seconds,
    text: `${cpuSeconds(ledger.ran_seconds)} CPU-s`,
    share: percent(ledger.ran_ratio),
    explained: 'on a CPU',
  }
  const waited = ledger.parts.map(({ cause, seconds, demand_ratio }): LedgerLine => {
    const { part, name, explained } = CAUSES[cause]
    return {
      part,
      name,
      value: seconds,
      text: `${cpuSeconds(seconds)} CPU-s`,
      share: percent(demand_ratio),
      explained,
    }
  })
  return [ran, ...waited]
}
