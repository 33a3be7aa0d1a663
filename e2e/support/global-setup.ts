import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const ROOM = join(import.meta.dirname, '..')
const READY_WITHIN_MS = 90_000
const STOPPED_WITHIN_MS = 60_000

/** Starts the real stack; the tests find it in NW_E2E_STACK, or in NW_E2E_SKIP why there is none. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const own = join(ROOM, '..', '.venv', 'bin', 'python')
  // Its standard input is our end of the leash: the stack leaves when we do, however that happens.
  const stack = spawn(existsSync(own) ? own : 'python3', [join(ROOM, 'stack.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Ctrl-C must not reach its children before it has stopped them in order.
    detached: true,
  })
  const line = await firstLine(stack)
  const ready = JSON.parse(line) as { skip?: string }
  if (ready.skip === undefined) {
    process.env.NW_E2E_STACK = line
  } else if (process.env.NW_REQUIRE_BPF === '1') {
    throw new Error(`NW_REQUIRE_BPF=1, but: ${ready.skip}`)
  } else {
    process.env.NW_E2E_SKIP = ready.skip
  }
  return () => stop(stack)
}

function firstLine(stack: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the stack is not ready in time')), READY_WITHIN_MS)
    stack.once('exit', (code) => reject(new Error(`the stack ended with ${code}; its reason is above`)))
    if (stack.stdout === null) throw new Error('spawned without a pipe')
    createInterface(stack.stdout).once('line', (line) => {
      clearTimeout(timer)
      stack.removeAllListeners('exit')
      resolve(line)
    })
  })
}

function stop(stack: ChildProcess): Promise<void> {
  if (stack.exitCode !== null) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the stack does not stop')), STOPPED_WITHIN_MS)
    stack.once('exit', (code) => {
      clearTimeout(timer)
      if (code === 0) resolve()
      else reject(new Error(`the stack ended with ${code}; see output/logs`))
    })
    stack.stdin?.end()
  })
}
