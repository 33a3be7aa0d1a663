import { Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CircleUser, LogOut } from 'lucide-react'
import { useState } from 'react'
import { sessionQuery } from '@/features/session/session-query'
import { signOut } from '@/features/session/sign-in'
import styles from './menu.module.css'

export function AccountMenu({ className, roleClassName }: { className?: string; roleClassName?: string }) {
  const session = useQuery(sessionQuery)
  const client = useQueryClient()
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string | null>(null)
  if (!session.data) return null
  const { user, version } = session.data

  const leave = async () => {
    try {
      await signOut()
      client.clear()
      await navigate({ to: '/sign-in' })
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Menu
      position="top-start"
      width={184}
      closeOnItemClick={false}
      classNames={{ dropdown: styles.menu, item: styles.item }}
    >
      <Menu.Target>
        <button type="button" className={className}>
          <CircleUser size={16} strokeWidth={1.6} aria-hidden />
          {user.name} <span className={roleClassName}>{user.role}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <p className={styles.note}>Neighborwatch {version}</p>
        <Menu.Item leftSection={<LogOut size={15} strokeWidth={1.75} aria-hidden />} onClick={leave}>
          Sign out
        </Menu.Item>
        {problem ? (
          <p role="alert" className={styles.problem}>
            Not signed out: {problem}
          </p>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  )
}
