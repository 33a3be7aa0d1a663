// Runs before the first paint, so that a dark page never flashes white. A file, not a line in the page: the content
// security policy allows no inline script. The key is Mantine's.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value')
  } catch {
    // Storage may be closed; the system's choice then holds.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
})()
