import type { Schemas } from '@/lib/api'
import { cpuSeconds, percent } from '@/lib/format'
import { WAIT_CAUSES } from '@/lib/wait-causes'
import type { SplitPart } from '@/ui/split-bar'

export type Ledger = Schemas['Ledger']

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
    const { part, name, explained } = WAIT_CAUSES[cause]
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
