import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { PAGES } from './pages'

export type Dialog = 'search' | 'help'

const SEQUENCE_MS = 1_200

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}

/** Keys of the whole page; a dialog that is open keeps its own. */
export function useShortcuts(open: (dialog: Dialog) => void): void {
  const navigate = useNavigate()
  const client = useQueryClient()
  const goSince = useRef(0)

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        open('search')
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('[role="dialog"]')) return
      const page =
        event.timeStamp - goSince.current < SEQUENCE_MS
          ? PAGES.find(({ key }) => key === event.key)
          : undefined
      goSince.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (page) void navigate({ to: page.to })
      else if (event.key === '?') open('help')
      else if (event.key === '/') {
        event.preventDefault()
        open('search')
      } else if (event.key === 'r') void client.invalidateQueries()
      else if (event.key === 't') document.querySelector<HTMLElement>('[data-key="t"]')?.click()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [open, navigate, client])
}
