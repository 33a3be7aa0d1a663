import { Download } from 'lucide-react'
import { useState } from 'react'
import { downloadCsv } from '@/lib/api'
import styles from './csv-button.module.css'

/** The same rows as a file, all pages of them. */
export function CsvButton({ path, filename }: { path: string; filename: string }) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const save = async () => {
    setBusy(true)
    setFailure(null)
    try {
      await downloadCsv(path, filename)
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      {failure ? (
        <span role="alert" className={styles.failure}>
          {failure}
        </span>
      ) : null}
      <button
        type="button"
        className={styles.csv}
        onClick={save}
        aria-busy={busy || undefined}
        disabled={busy}
      >
        <Download size={14} strokeWidth={1.75} aria-hidden />
        CSV
      </button>
    </>
  )
}
