/** The processes of a load: each is asked in one line of JSON, and answers in one. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Child {
  /** Asks, and gives the answer. */
  ask<Answer>(question: object): Promise<Answer>
  kill(): void
}

export function child(script: string, ...args: readonly string[]): Child {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const made: ChildProcess = spawn(process.execPath, ['--expose-gc', path, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const waiting: { resolve(answer: unknown): void; reject(error: Error): void }[] = []
  made.on('message', (answer) => waiting.shift()?.resolve(answer))
  made.on('exit', (code) => {
    for (const { reject } of waiting) reject(new Error(`${script} ended with ${code}`))
  })
  return {
    ask: <Answer>(question: object): Promise<Answer> =>
      new Promise<Answer>((resolve, reject) => {
        // What comes back is what the other side's function gave.
        waiting.push({ resolve: (answer) => resolve(answer as Answer), reject })
        made.send(question)
      }),
    kill: () => void made.kill('SIGKILL'),
  }
}

/** The other side: answers one question after the other. */
export function answering<Question extends object>(answer: (question: Question) => Promise<object>): void {
  process.on('message', (question) => {
    // It is what `ask` was given.
    answer(question as Question).then(
      (given) => process.send?.(given),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`)
        process.exit(1)
      },
    )
  })
}

/** What a process holds and has used, after what can be let go was. */
export interface Usage {
  readonly rss: number
  /** Microseconds of CPU so far. */
  readonly cpu: number
}

export function usage(): Usage {
  globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  return { rss: process.memoryUsage.rss(), cpu: user + system }
}
