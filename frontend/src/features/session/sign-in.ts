import { api, type Schemas, unwrap } from '@/lib/api'

/** The token of a sign-in link, taken out of the address so that neither history nor a screenshot keeps it. */
export function takeToken(): string | null {
  const token = tokenIn(window.location.hash)
  if (token !== null)
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
  return token
}

/** Reads `#token=…`, a whole link or the bare token, as people paste them. */
export function tokenIn(text: string): string | null {
  return /(?:^|[#&]token=)(nwl_[A-Za-z0-9_-]{20,})$/.exec(text.trim())?.[1] ?? null
}

export function signIn(token: string): Promise<Schemas['SessionAnswer']> {
  return unwrap(api.POST('/api/v1/session', { body: { link_token: token } }))
}

export function signOut(): Promise<unknown> {
  return unwrap(api.DELETE('/api/v1/session'))
}

/** Only a path of this page: a link may not send people elsewhere after they signed in. */
export function returnPath(wanted: unknown): string {
  if (typeof wanted !== 'string') return '/'
  return /^\/(?![/\\])/.test(wanted) && !wanted.startsWith('/sign-in') ? wanted : '/'
}
