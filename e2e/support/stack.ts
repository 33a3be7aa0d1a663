import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'

/** What stack.py says when it is ready. */
export type Stack = { url: string; token: string; sign_in_link: string; control: string }

export const WINDOW_MS = 10_000

export function stack(): Stack {
  const text = process.env.NW_E2E_STACK
  if (text === undefined) throw new Error('no stack: run `npm test`, which starts one')
  return JSON.parse(text) as Stack
}

/** One command of stack.py's `Controls`. */
export function control<T = unknown>(command: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const connection = createConnection(stack().control)
    connection.on('error', reject)
    connection.write(`${command}\n`)
    createInterface(connection).once('line', (line) => {
      connection.end()
      const answer = JSON.parse(line) as T & { error?: string }
      if (answer.error === undefined) resolve(answer)
      else reject(new Error(answer.error))
    })
  })
}

export type Edge = { at_ms: number; nr_periods: number; nr_throttled: number }

/** The kernel's own figures of a container, as read at each edge of a window. */
export async function cpuStatEdges(name: string): Promise<Edge[]> {
  return (await control<{ edges: Edge[] }>(`cpu-stat ${name}`)).edges
}
