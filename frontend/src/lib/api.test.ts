import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import { answerProblem, server, unreachable } from '@/test/server'
import { ApiError, api, downloadCsv, isUnreachable, unwrap } from './api'
import { shouldRetry } from './query-client'

const AT = 'http://dashboard.test/api/v1/session'

async function failure(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw new Error(`no ApiError but ${String(error)}`)
  return error
}

describe('a call', () => {
  it('carries the header that a form on another site cannot set', async () => {
    let header: string | null = null
    server.use(
      http.delete(AT, ({ request }) => {
        header = request.headers.get('X-Requested-With')
        return new HttpResponse(null, { status: 204 })
      }),
    )
    await unwrap(api.DELETE('/api/v1/session'))
    expect(header).toBe('neighborwatch')
  })

  it('that is refused gives the detail and the request id of the problem', async () => {
    answerProblem('/session', 403, 'Only an admin may do this.', 'req-1')
    const error = await failure(unwrap(api.GET('/api/v1/session')))
    expect(error).toMatchObject({ message: 'Only an admin may do this.', status: 403, requestId: 'req-1' })
  })

  it('that a proxy answered still gives one sentence', async () => {
    server.use(
      http.get(
        AT,
        () =>
          new HttpResponse('<html>Bad gateway</html>', { status: 502, headers: { 'X-Request-Id': 'req-2' } }),
      ),
    )
    const error = await failure(unwrap(api.GET('/api/v1/session')))
    expect(error).toMatchObject({ message: 'The backend answered 502.', requestId: 'req-2' })
    expect(isUnreachable(error)).toBe(true)
  })

  it('without an answer says so', async () => {
    unreachable('/session')
    const error = await failure(unwrap(api.GET('/api/v1/session')))
    expect(error.message).toBe('The backend does not answer.')
    expect(isUnreachable(error)).toBe(true)
  })

  it('for CSV that fails says that the file could not be made', async () => {
    answerProblem('/hosts', 500, 'x')
    const error = await failure(downloadCsv('/api/v1/hosts', 'hosts.csv'))
    expect(error.message).toContain('The CSV could not be made')
  })
})

describe('a second try', () => {
  it('is made for silence and overload only', () => {
    const status = (code: number) => new ApiError('x', code, null)
    expect([0, 429, 502, 503].map((code) => shouldRetry(0, status(code)))).toEqual([true, true, true, true])
    expect([400, 401, 403, 404, 422, 500].some((code) => shouldRetry(0, status(code)))).toBe(false)
    expect(shouldRetry(2, status(503))).toBe(false)
  })
})
