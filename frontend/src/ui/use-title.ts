import { useEffect } from 'react'

/** Names the tab. index.html has a title of its own, so a title element of React's would come second. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Neighborwatch`
  }, [title])
}
