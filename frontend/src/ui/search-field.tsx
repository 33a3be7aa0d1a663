import { useDebouncedCallback } from '@mantine/hooks'
import { Search, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import styles from './search-field.module.css'

const TYPING_PAUSE_MS = 250

/** Filters by name; tells only after a pause, so that each letter is not a request. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string) => void
}) {
  const [text, setText] = useState(value)
  const tell = useDebouncedCallback(onChange, TYPING_PAUSE_MS)
  useEffect(() => setText(value), [value])
  return (
    <div className={styles.field}>
      <Search size={14} strokeWidth={1.75} aria-hidden className={styles.icon} />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        className={styles.input}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          tell(event.target.value.trim())
        }}
      />
      {text === '' ? null : (
        <button
          type="button"
          aria-label={`Clear ${label.toLowerCase()}`}
          className={styles.clear}
          onClick={() => {
            setText('')
            onChange('')
          }}
        >
          <X size={14} strokeWidth={1.75} aria-hidden />
        </button>
      )}
    </div>
  )
}
