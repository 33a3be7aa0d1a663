import { delay, HttpResponse, http, type JsonBodyType } from 'msw'
import { setupServer } from 'msw/node'

/** Empty on purpose: a request that a test did not announce fails it. */
export const server = setupServer()

const at = (path: string) => `http://dashboard.test/api/v1${path}`

/** Answers GET with this body; `seen` collects the queries that were asked. */
export function answer(path: string, body: JsonBodyType, seen: URLSearchParams[] = []): URLSearchParams[] {
  server.use(
    http.get(at(path), ({ request }) => {
      seen.push(new URL(request.url).searchParams)
      return HttpResponse.json(body)
    }),
  )
  return seen
}

export function answerProblem(path: string, status: number, detail: string, requestId = 'req-7f3a'): void {
  server.use(
    http.get(at(path), () =>
      HttpResponse.json(
        { type: 'about:blank', title: 'Problem', status, detail, request_id: requestId },
        { status, headers: { 'Content-Type': 'application/problem+json' } },
      ),
    ),
  )
}

export function answerNever(path: string): void {
  server.use(
    http.get(at(path), async () => {
      await delay('infinite')
      return HttpResponse.json(null)
    }),
  )
}

export function unreachable(path: string): void {
  server.use(http.get(at(path), () => HttpResponse.error()))
}
