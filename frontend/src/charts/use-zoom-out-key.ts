import { useEffect, useRef } from 'react'

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  )
}

/** Ctrl+Z, or Cmd+Z, as long as nobody is typing: there it means undo. */
export function useZoomOutKey(onZoomOut: () => void): void {
  const latest = useRef(onZoomOut)
  useEffect(() => {
    latest.current = onZoomOut
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const undo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z'
      if (!undo || isTyping(event.target)) return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}
