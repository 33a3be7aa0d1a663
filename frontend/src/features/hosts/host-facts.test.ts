import { describe, expect, it } from 'vitest'
import { aHost } from '@/test/fixtures'
import { allFacts, machine, topology } from './host-facts'

describe('the machine of a host', () => {
  it('is told by sockets, cores, threads and caches', () => {
    expect(topology(aHost({ sockets: 2, cores: 96, threads_per_core: 2, l3_domains: 12 }))).toBe(
      '2 × 48 cores, SMT, 12 L3',
    )
    expect(topology(aHost({ sockets: 1, cores: 1, threads_per_core: 1, l3_domains: 1 }))).toBe(
      '1 core, no SMT, 1 L3',
    )
  })

  it('leaves out what a guest cannot see', () => {
    expect(topology(aHost({ sockets: 1, cores: 2, threads_per_core: null, l3_domains: null }))).toBe(
      '2 cores',
    )
    expect(topology(aHost({ sockets: null, cores: null, threads_per_core: null, l3_domains: null }))).toBe(
      '–',
    )
    expect(allFacts(aHost({ hypervisor: null }))).not.toContain('Virtual')
  })

  it('falls back to the CPU where there is no instance type', () => {
    expect(machine(aHost({ instance_type: null, cpu_model: 'AMD EPYC 9R14' }))).toBe('AMD EPYC 9R14')
    expect(machine(aHost({ instance_type: null, cpu_model: null }))).toBe('–')
  })
})
