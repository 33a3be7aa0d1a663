import { Check, Copy } from 'lucide-react'
import { Fragment, useState } from 'react'
import { Button } from './button'
import styles from './command-block.module.css'

const SHOWN_MS = 2_000

/** Commands to run, one a line, copied without their prompts. */
export function CommandBlock({ commands, label }: { commands: readonly string[]; label: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(commands.join('\n'))
      setState('copied')
    } catch {
      // Pages without TLS may not write to the clipboard: say so, the text can still be selected.
      setState('refused')
    }
    setTimeout(() => setState('idle'), SHOWN_MS)
  }
  return (
    <div className={styles.block}>
      <pre className={styles.text}>
        {commands.map((command) => (
          <code key={command} className={styles.line}>
            <span aria-hidden className={styles.prompt}>
              ${' '}
            </span>
            <Words text={command} />
          </code>
        ))}
      </pre>
      <Button
        size="small"
        variant="plain"
        icon={state === 'copied' ? Check : Copy}
        aria-label={`Copy ${label}`}
        onClick={() => void copy()}
      />
      <span role="status" className={state === 'refused' ? styles.refused : 'visually-hidden'}>
        {state === 'copied' ? 'Copied' : state === 'refused' ? 'Select and copy by hand' : ''}
      </span>
    </div>
  )
}

/** Lines break between arguments only, never at a hyphen inside one. */
function Words({ text }: { text: string }) {
  const words = text.split(' ')
  return words.map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of one command never move
    <Fragment key={index}>
      <span className={styles.word}>{word}</span>
      {index < words.length - 1 ? ' ' : null}
    </Fragment>
  ))
}
