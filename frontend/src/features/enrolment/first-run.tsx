import { Check, Loader, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { clockTime, type Zone } from '@/lib/clock'
import { duration, plural } from '@/lib/format'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { CommandBlock } from '@/ui/command-block'
import { Ago } from '@/ui/freshness'
import { TOKEN_TTL_SECONDS, useCreateToken } from './create-token'
import styles from './first-run.module.css'

type FirstRunProps = { zone: Zone; mayEnrol: boolean; hostsEnrolled: number; checkedAt: number }

/** Three steps from nothing to the first window. */
export function FirstRun({ zone, mayEnrol, hostsEnrolled, checkedAt }: FirstRunProps) {
  const create = useCreateToken()
  const token = create.data
  const enrolled = hostsEnrolled > 0
  return (
    <Card title="Connect the first host" aside="3 steps, about 2 min" flush>
      <ol>
        <Step number={1} state={token || enrolled ? 'done' : 'now'} title="Create an enrolment token">
          {token ? (
            <p className="num">
              Created {clockTime(token.createdAt, zone)}, valid until {clockTime(token.expires_at, zone)}, one
              host. Shown only now.
            </p>
          ) : mayEnrol ? (
            <>
              <p>Valid for {duration(TOKEN_TTL_SECONDS)}, for one host.</p>
              <Button
                variant={enrolled ? 'outlined' : 'primary'}
                icon={Plus}
                busy={create.isPending}
                disabled={create.isPending}
                onClick={() => create.mutate()}
              >
                Create token
              </Button>
            </>
          ) : (
            <p>Only an admin may create one. Ask the person who runs this Neighborwatch.</p>
          )}
          {create.isError ? (
            <p role="alert" className={styles.failed}>
              No token was created. {create.error.message}
            </p>
          ) : null}
        </Step>
        <Step number={2} state={enrolled ? 'done' : token ? 'now' : 'later'} title="Run the agent">
          {enrolled ? (
            <p>{plural(hostsEnrolled, 'host')} enrolled.</p>
          ) : (
            <>
              <p>On the host, as root. The first command says what its kernel allows.</p>
              <CommandBlock
                label="commands"
                commands={[
                  'nwagent check',
                  token?.command ?? `nwagent --server ${window.location.origin} --enroll-token nwe_…`,
                ]}
              />
            </>
          )}
        </Step>
        <Step number={3} state={enrolled ? 'now' : 'later'} title="First window arrives">
          <p className={styles.waiting} role="status">
            <Loader size={14} strokeWidth={1.75} aria-hidden className={styles.turning} />
            <span>Waiting for the first {enrolled ? 'window' : 'agent'}</span>
            <span aria-live="off">
              , checked <Ago at={new Date(checkedAt).toISOString()} suffix=" ago" zone={zone} />
            </span>
          </p>
        </Step>
      </ol>
    </Card>
  )
}

function Step({
  number,
  state,
  title,
  children,
}: {
  number: number
  state: 'done' | 'now' | 'later'
  title: string
  children: ReactNode
}) {
  return (
    <li className={styles.step} aria-current={state === 'now' ? 'step' : undefined}>
      <span className={styles[state]} aria-hidden>
        {state === 'done' ? <Check size={14} strokeWidth={2} /> : number}
      </span>
      <div className={styles.body}>
        <h3 className={state === 'later' ? styles.titleLater : styles.title}>
          {title}
          {state === 'done' ? <span className="visually-hidden">, done</span> : null}
        </h3>
        <div className={styles.text}>{children}</div>
      </div>
    </li>
  )
}
