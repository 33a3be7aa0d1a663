import { FilterChip } from '@/ui/chip'
import { Segments } from '@/ui/segments'
import type { Filters } from './containers-query'

const KINDS = [
  { value: 'container', label: 'Containers' },
  { value: 'system', label: 'System services', title: 'Cgroups that belong to no container' },
  { value: 'all', label: 'All' },
] as const

type ContainersFiltersProps = {
  filters: Filters
  /** The host's name where a row told it; the address knows only its id. */
  hostName: string | undefined
  onChange: (change: Partial<Filters>) => void
}

export function ContainersFilters({ filters, hostName, onChange }: ContainersFiltersProps) {
  const { host_id, namespace, kind } = filters
  return (
    <>
      {host_id === undefined ? null : (
        <FilterChip
          name="Host"
          value={hostName ?? host_id}
          onRemove={() => onChange({ host_id: undefined })}
        />
      )}
      {namespace === undefined ? null : (
        <FilterChip name="Namespace" value={namespace} onRemove={() => onChange({ namespace: undefined })} />
      )}
      <Segments label="Kind" value={kind} options={KINDS} onChange={(value) => onChange({ kind: value })} />
    </>
  )
}
