import { bytes, NO_VALUE, plural } from '@/lib/format'
import type { HostItem } from './hosts-query'

/** "2 × 48 cores, SMT, 12 L3": what decides who can meet whom. Unknown parts are left out. */
export function topology(host: HostItem): string {
  const { sockets, cores, threads_per_core: threads, l3_domains: l3 } = host
  const parts: string[] = []
  if (cores !== null && sockets !== null && sockets > 1) parts.push(`${sockets} × ${cores / sockets} cores`)
  else if (cores !== null) parts.push(plural(cores, 'core'))
  if (threads !== null) parts.push(threads > 1 ? 'SMT' : 'no SMT')
  if (l3 !== null && l3 > 0) parts.push(`${l3} L3`)
  return parts.length === 0 ? NO_VALUE : parts.join(', ')
}

/** Everything known of the machine, one fact a line, for the title of its row. */
export function allFacts(host: HostItem): string {
  const facts: [string, string | null][] = [
    ['CPU', host.cpu_model],
    ['Cache', host.cache_architecture],
    ['NUMA nodes', host.numa_nodes === null ? null : String(host.numa_nodes)],
    ['Memory', host.memory_bytes === null ? null : bytes(host.memory_bytes)],
    ['Virtual', host.hypervisor],
    ['cgroups', host.cgroup_mode],
    ['Region', host.region],
  ]
  return facts
    .filter(([, fact]) => fact)
    .map(([name, fact]) => `${name} ${fact}`)
    .join('\n')
}

export function machine(host: HostItem): string {
  return host.instance_type ?? host.cpu_model ?? NO_VALUE
}
