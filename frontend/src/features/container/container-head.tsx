import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { fullTime, shortTime, type Zone } from '@/lib/clock'
import { cores, count } from '@/lib/format'
import { LivenessBadge } from '@/ui/liveness'
import { Fact, PageHead } from '@/ui/page-head'
import type { ContainerDetail } from './container-query'

const KIND = { container: 'container', system: 'system service' } as const

/** What one has to know about a container before reading its charts. */
export function ContainerHead({ container, zone }: { container: ContainerDetail; zone: Zone }) {
  const { host_id, host_name, quota_cores, cpus_allowed, first_seen_at } = container
  return (
    <PageHead
      trail={<Trail name={container.name} />}
      title={container.name}
      mono={container.kind === 'system'}
      badge={
        container.host_state === 'live' ? null : (
          <LivenessBadge state={container.host_state} lastSeenAt={container.last_seen_at} />
        )
      }
      facts={
        <>
          <Fact name="Kind">{KIND[container.kind]}</Fact>
          <Fact name="Host">
            <Link to="/containers" search={{ host_id, kind: 'all' }} className="text-link mono">
              {host_name}
            </Link>
          </Fact>
          {container.namespace ? <Fact name="Namespace">{container.namespace}</Fact> : null}
          {container.pod && container.pod !== container.name ? <Fact name="Pod">{container.pod}</Fact> : null}
          {container.image ? <Fact name="Image">{container.image}</Fact> : null}
          <Fact name="Quota">{quota_cores === null ? 'none' : `${cores(quota_cores)} cores`}</Fact>
          <Fact name="CPUs allowed">{count(cpus_allowed)}</Fact>
          {first_seen_at ? (
            <Fact name="First seen">
              <time dateTime={first_seen_at} title={fullTime(first_seen_at, zone)}>
                {shortTime(first_seen_at, zone)}
              </time>
            </Fact>
          ) : null}
          <Fact>
            <Link to="/events" search={{ container_id: container.id }} className="text-link">
              Its events
            </Link>
          </Fact>
        </>
      }
    />
  )
}

export function Trail({ name }: { name: string }) {
  return (
    <>
      <Link to="/containers" className="link">
        Containers
      </Link>
      <ChevronRight size={12} strokeWidth={1.75} aria-hidden />
      <span>{name}</span>
    </>
  )
}
