/** Readers of a server on this machine, in a process of their own, so that what they cost is not the server's. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
  return address.port
}

export interface Readers {
  /** Sends a word to the process. */
  tell(word: string): void
  /** The next line that it prints. */
  line(): Promise<string>
  kill(): void
}

export function readersIn(script: URL, args: readonly string[]): Readers {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines: string[] = []
  const waiting: ((line: string) => void)[] = []
  let rest = ''
  child.stdout.on('data', (data: Buffer) => {
    const parts = (rest + data.toString()).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      const next = waiting.shift()
      if (next) next(line)
      else lines.push(line)
    }
  })
  return {
    tell: (word) => void child.stdin.write(`${word}\n`),
    line() {
      const there = lines.shift()
      return there === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(there)
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
