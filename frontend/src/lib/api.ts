import createClient from 'openapi-fetch'
import type { components, paths } from '@/api.gen'

export type Schemas = components['schemas']

/** What the page needs to say about a failed request: one sentence and the id to look for in the log. */
export class ApiError extends Error {
  readonly status: number
  readonly requestId: string | null

  constructor(message: string, status: number, requestId: string | null) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.requestId = requestId
  }
}

/** The backend gave no answer at all, or a proxy answered for it. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && [0, 502, 503, 504].includes(error.status)
}

/** Resolved per call, not when the client is made: tests replace fetch later. */
async function fetchNow(request: Request): Promise<Response> {
  try {
    return await globalThis.fetch(request)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError('The backend does not answer.', 0, null)
  }
}

export const api = createClient<paths>({
  baseUrl: globalThis.location.origin,
  // The header proves that the call came from this page: a form on another site cannot set it.
  headers: { 'X-Requested-With': 'neighborwatch' },
  credentials: 'same-origin',
  fetch: fetchNow,
})

type Answer<T> = { data?: T; error?: unknown; response: Response }

function text(problem: unknown, key: string): string | null {
  if (typeof problem !== 'object' || problem === null || !(key in problem)) return null
  const value: unknown = Reflect.get(problem, key)
  return typeof value === 'string' && value !== '' ? value : null
}

/** Turns an answer into its data, a problem document into an error that can be shown. */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call
  if (response.ok) return data as T
  const message = text(error, 'detail') ?? text(error, 'title') ?? `The backend answered ${response.status}.`
  const requestId = text(error, 'request_id') ?? response.headers.get('X-Request-Id')
  throw new ApiError(message, response.status, requestId)
}

/** Address of the same rows as CSV: the backend picks the format by Accept, a link cannot set that header. */
export async function downloadCsv(path: string, filename: string): Promise<void> {
  const response = await fetchNow(
    new Request(new URL(path, globalThis.location.origin), { headers: { Accept: 'text/csv' } }),
  )
  if (!response.ok)
    throw new ApiError(
      `The CSV could not be made: the backend answered ${response.status}.`,
      response.status,
      response.headers.get('X-Request-Id'),
    )
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = filename
  link.click()
  URL.revokeObjectURL(address)
}
