import { Modal } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Box, Search, Server } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { type Hit, searchQuery } from '@/features/search/search-query'
import { useShell } from '@/lib/shell'
import styles from './search-dialog.module.css'

const TYPING_PAUSE_MS = 150

export function SearchDialog({ onClose }: { onClose: () => void }) {
  const { range } = useShell()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [q] = useDebouncedValue(text.trim(), TYPING_PAUSE_MS)
  const search = useQuery({ ...searchQuery(q, range), enabled: q !== '' })
  const hits = q === '' ? [] : (search.data ?? [])
  const at = Math.min(chosen, Math.max(0, hits.length - 1))

  const go = (hit: Hit | undefined) => {
    if (!hit) return
    onClose()
    if (hit.kind === 'host') void navigate({ to: '/containers', search: { host_id: hit.id } })
    else void navigate({ to: '/containers/$containerId', params: { containerId: hit.id } })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setChosen(Math.min(at + 1, hits.length - 1))
    else if (event.key === 'ArrowUp') setChosen(Math.max(at - 1, 0))
    else if (event.key === 'Enter') go(hits[at])
    else return
    event.preventDefault()
  }
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      size={520}
      yOffset="12vh"
      // Mantine puts aria-label on the root, which is not the dialog.
      attributes={{ content: { 'aria-label': 'Find a host or container' } }}
      classNames={{ content: styles.content, body: styles.body }}
    >
      <div className={styles.field}>
        <Search size={16} strokeWidth={1.75} aria-hidden />
        <input
          data-autofocus
          role="combobox"
          aria-label="Host or container"
          aria-expanded={hits.length > 0}
          aria-controls="search-hits"
          aria-activedescendant={hits[at] ? `hit-${at}` : undefined}
          placeholder="Host or container"
          className={styles.input}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id="search-hits" role="listbox" aria-label="Found" className={styles.hits}>
        {hits.map((hit, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, as the combobox pattern asks
          // biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys and Enter work in the field
          <div
            key={hit.kind + hit.id}
            id={`hit-${index}`}
            role="option"
            aria-selected={index === at}
            className={styles.hit}
            onMouseMove={() => setChosen(index)}
            onClick={() => go(hit)}
          >
            {hit.kind === 'host' ? (
              <Server size={15} strokeWidth={1.6} aria-hidden />
            ) : (
              <Box size={15} strokeWidth={1.6} aria-hidden />
            )}
            <span className={styles.name}>{hit.name}</span>
            <span className={styles.where}>{hit.where}</span>
          </div>
        ))}
      </div>
      <Outcome q={q} error={search.error} pending={search.isPending && q !== ''} found={hits.length} />
    </Modal>
  )
}

function Outcome({
  q,
  error,
  pending,
  found,
}: {
  q: string
  error: Error | null
  pending: boolean
  found: number
}) {
  let words = ''
  if (error) words = `Search failed. ${error.message}`
  else if (pending) words = 'Searching'
  else if (q !== '' && found === 0) words = `No host or container in this range has “${q}” in its name.`
  return (
    <p role="status" className={words === '' ? 'visually-hidden' : styles.outcome}>
      {words || (found > 0 ? `${found} found` : '')}
    </p>
  )
}
