import { describe, expect, it } from 'vitest'
import { LEDGER } from '@/test/container-fixtures'
import { ledgerLines } from './ledger'

describe('the ledger', () => {
  it('lists what ran and every cause of waiting in the fixed order, zeros included', () => {
    expect(ledgerLines(LEDGER).map(({ name, share, text }) => `${name} ${share} ${text}`)).toEqual([
      'ran 68.2 % 1,023.0 CPU-s',
      'own threads 2.1 % 31.0 CPU-s',
      'neighbors 27.5 % 412.0 CPU-s',
      'system 1.3 % 19.0 CPU-s',
      'own quota 0.0 % 0.0 CPU-s',
      'quota above 0.0 % 0.0 CPU-s',
      'idle gap 0.7 % 11.0 CPU-s',
      'unattributed 0.3 % 4.0 CPU-s',
    ])
  })

  it('adds up to the demand', () => {
    const sum = ledgerLines(LEDGER).reduce((total, line) => total + line.value, 0)
    expect(sum).toBeCloseTo(LEDGER.demand_seconds, 6)
  })

  it('of an agent that does not split has what ran and nothing made up', () => {
    expect(ledgerLines({ ...LEDGER, parts: [] }).map(({ name }) => name)).toEqual(['ran'])
  })
})
