/** The server as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { root } from './kept.ts'

export interface Served {
  readonly url: string
  readonly child: ChildProcess
  /** What it has printed so far, and what it has logged. */
  printed(): string
  logged(): string
  /** Gives the exit code, or the signal. */
  stop(signal: NodeJS.Signals): Promise<number | string>
}

export const START = join(root, 'apps/gateway/dist/start.js')
export const FACTWIRE = join(root, 'apps/cli/bin/factwire.js')

const children = new Set<ChildProcess>()
afterEach(() => {
  for (const { pid } of children) killGroup(pid)
  children.clear()
})

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it is gone.
  }
}

/** Settles when it says where it listens. */
export async function served(argv: readonly string[], cwd: string, program = process.execPath): Promise<Served> {
  // In a group of its own, for what is started by what is started here.
  const child = spawn(program, argv, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  children.add(child)
  let out = ''
  let err = ''
  child.stderr.on('data', (data) => (err += String(data)))
  const listens = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      out += String(data)
      const url = /listens on (\S+)/.exec(out)?.[1]
      if (url !== undefined && out.includes('messages?as=')) resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${err}`)))
  })
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>
  return {
    url: await listens,
    child,
    printed: () => out,
    logged: () => err,
    async stop(signal) {
      child.kill(signal)
      const [code, by] = await ended
      return code ?? by ?? 'gone'
    },
  }
}
