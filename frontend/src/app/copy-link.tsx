import { Popover } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { Link } from 'lucide-react'
import { useState } from 'react'
import { shortTime } from '@/lib/clock'
import { useShell } from '@/lib/shell'
import { freeze, isRelative } from '@/lib/time-range'
import { writeSearch } from '@/lib/url-state'
import { Button } from '@/ui/button'
import styles from './copy-link.module.css'

type Copied = { link: string; frozen: boolean; refused: boolean }

async function put(link: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(link)
    return true
  } catch {
    // Pages without TLS may not write to the clipboard; the link is then shown to be copied by hand.
    return false
  }
}

/** A shared link must show the same data later, so it carries absolute times unless told otherwise. */
export function CopyLink() {
  const { range, zone } = useShell()
  const location = useLocation()
  const [copied, setCopied] = useState<Copied | null>(null)
  const moves = isRelative(range.from) || isRelative(range.to)
  const fixed = freeze(range, Date.now())

  const copy = async (frozen: boolean) => {
    const search = { ...location.search, ...(frozen ? freeze(range, Date.now()) : {}) }
    const link = window.location.origin + location.pathname + writeSearch(search)
    setCopied({ link, frozen, refused: !(await put(link)) })
  }
  return (
    <Popover
      opened={copied !== null}
      onChange={() => setCopied(null)}
      position="bottom-end"
      width={300}
      trapFocus={false}
    >
      <Popover.Target>
        <Button
          icon={Link}
          aria-label="Copy link"
          title="Copy link to these times"
          onClick={() => void copy(true)}
        />
      </Popover.Target>
      <Popover.Dropdown className={styles.note}>
        {copied ? (
          <div role="status">
            <p className="strong">{copied.refused ? 'Copy this link' : 'Link copied'}</p>
            {copied.refused ? (
              <input
                readOnly
                aria-label="Link"
                className={styles.link}
                value={copied.link}
                onFocus={(event) => event.target.select()}
              />
            ) : null}
            <p className={styles.text}>
              {copied.frozen
                ? `${shortTime(fixed.from, zone)} – ${shortTime(fixed.to, zone)}`
                : 'Follows the present.'}
            </p>
            {moves && copied.frozen ? (
              <button type="button" className="text-link" onClick={() => void copy(false)}>
                Keep relative times instead
              </button>
            ) : null}
          </div>
        ) : null}
      </Popover.Dropdown>
    </Popover>
  )
}
