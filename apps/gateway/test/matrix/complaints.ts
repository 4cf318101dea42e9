/** What is written to the console as a complaint, by the test within which it was. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { format } from 'node:util'

export interface Complaints {
  /** Runs a test, and gives what was complained of within. */
  within(test: () => Promise<void>): Promise<readonly string[]>
  /** What belongs to no test. */
  readonly stray: readonly string[]
  stop(): void
}

export function complaints(): Complaints {
  const scope = new AsyncLocalStorage<string[]>()
  const stray: string[] = []
  const { warn, error } = console
  const hear = (...words: unknown[]): void => void (scope.getStore() ?? stray).push(format(...words))
  const hearWarning = (warning: Error): void => hear(warning.message)
  Object.assign(console, { warn: hear, error: hear })
  process.on('warning', hearWarning)
  return {
    async within(test) {
      const heard: string[] = []
      await scope.run(heard, test)
      return heard
    },
    stray,
    stop() {
      Object.assign(console, { warn, error })
      process.off('warning', hearWarning)
    },
  }
}
