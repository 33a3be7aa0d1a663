import { useLoaderData, useNavigate } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { tokenIn } from '@/features/session/sign-in'
import { Button } from '@/ui/button'
import { useTitle } from '@/ui/use-title'
import styles from './sign-in-page.module.css'

const COMMAND = 'neighborwatch sign-in-link'

export function SignInPage() {
  useTitle('Sign in')
  const { problem } = useLoaderData({ from: '/sign-in' })
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <p className={styles.brand}>
          <img src="/favicon.svg" alt="" width={22} height={22} />
          Neighborwatch
        </p>
        <h1>Sign in</h1>
        {problem ? (
          <div className={styles.problem} role="alert">
            <CircleAlert size={16} strokeWidth={1.75} aria-hidden />
            <div>
              <p>{problem.message}</p>
              {problem.requestId ? (
                <p>
                  Request <code>{problem.requestId}</code>
                </p>
              ) : null}
            </div>
          </div>
        ) : null}
        <p className={styles.text}>
          Make a link on the machine that runs Neighborwatch and open it. It works once, for 15 minutes.
        </p>
        <pre className={styles.command}>
          <code>
            <span aria-hidden>$ </span>
            {COMMAND}
          </code>
        </pre>
        <PasteLink />
      </div>
    </main>
  )
}

function PasteLink() {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [refused, setRefused] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const token = tokenIn(text)
    setRefused(token === null)
    if (token === null) return
    setText('')
    // The loader of this page takes it from the address, as it does with a link that was opened.
    void navigate({ to: '.', search: true, hash: `token=${token}`, replace: true })
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      <label htmlFor="link" className={styles.label}>
        Or paste the link
      </label>
      <div className={styles.row}>
        <input
          id="link"
          className={styles.input}
          autoComplete="off"
          spellCheck={false}
          value={text}
          aria-invalid={refused}
          aria-describedby={refused ? 'link-problem' : undefined}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" variant="primary">
          Sign in
        </Button>
      </div>
      {refused ? (
        <p id="link-problem" className={styles.refused}>
          A link ends in #token=nwl_… Copy the whole line that the command prints.
        </p>
      ) : null}
    </form>
  )
}
