import { Modal } from '@mantine/core'
import styles from './help-dialog.module.css'
import { PAGES } from './pages'

const KEYS: readonly [string[], string][] = [
  [['Ctrl', 'K'], 'Find a host or container'],
  [['t'], 'Time range'],
  [['r'], 'Refresh now'],
  [['?'], 'This list'],
  [['Esc'], 'Close'],
]

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const rows = [...KEYS, ...PAGES.map(({ key, title }): [string[], string] => [['g', key], title])]
  return (
    <Modal
      opened
      onClose={onClose}
      title="Keys"
      size={380}
      classNames={{ content: styles.content, header: styles.header, title: styles.title, body: styles.body }}
    >
      <dl className={styles.keys}>
        {rows.map(([keys, what]) => (
          <div key={what} className={styles.row}>
            <dt>{what}</dt>
            <dd className={styles.combination}>
              {keys.map((key) => (
                <kbd key={key} className={styles.key}>
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles.foot}>
        The API is described at{' '}
        <a className="text-link" href="/api/v1/openapi.json">
          /api/v1/openapi.json
        </a>
      </p>
    </Modal>
  )
}
