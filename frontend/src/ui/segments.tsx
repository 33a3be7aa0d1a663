import { useId } from 'react'
import styles from './segments.module.css'

type SegmentsProps<Value extends string> = {
  label: string
  value: Value
  options: readonly { value: Value; label: string; title?: string }[]
  onChange: (value: Value) => void
}

/** Two to six exclusive choices. Native radio buttons give the arrow keys for free. */
export function Segments<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) {
  const name = useId()
  return (
    <div role="radiogroup" aria-label={label} className={styles.group}>
      {options.map((option) => (
        <label key={option.value} className={styles.option} title={option.title}>
          <input
            type="radio"
            name={name}
            className={styles.input}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span className={styles.word}>{option.label}</span>
        </label>
      ))}
    </div>
  )
}
