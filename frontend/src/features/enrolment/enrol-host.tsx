import { Popover } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { clockTime, type Zone } from '@/lib/clock'
import { Button } from '@/ui/button'
import { CommandBlock } from '@/ui/command-block'
import { useCreateToken } from './create-token'
import styles from './enrol-host.module.css'

/** A token for one more host, made on the click and shown once. */
export function EnrolHost({ zone }: { zone: Zone }) {
  const create = useCreateToken()
  const [open, setOpen] = useState(false)
  const start = () => create.mutate(undefined, { onSettled: () => setOpen(true) })
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      onClose={create.reset}
      position="bottom-end"
      width={640}
      trapFocus={create.isSuccess}
      returnFocus
    >
      <Popover.Target>
        <Button icon={Plus} busy={create.isPending} disabled={create.isPending} onClick={start}>
          Add a host
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.panel} aria-label="Add a host">
        {create.data ? (
          <>
            <p>
              Run on the host, as root. One host, valid until {clockTime(create.data.expires_at, zone)}. Shown
              only now.
            </p>
            <CommandBlock label="commands" commands={['nwagent check', create.data.command]} />
          </>
        ) : null}
        {create.isError ? (
          <p role="alert" className={styles.failed}>
            No token was created. {create.error.message}
          </p>
        ) : null}
      </Popover.Dropdown>
    </Popover>
  )
}
