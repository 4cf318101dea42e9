/** `node apps/gateway/dist/start.js`, or `factwire serve`: serves until it is told to stop. */
import { constants } from 'node:os'
import { ConfigError } from './config.ts'
import { serve } from './serve.ts'

/** Milliseconds: a terminal tells everybody in it, and a program above this one (npm) may pass it on, so that one word comes twice. */
const SAME = 500

/** Gives an exit code, once there is one. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    // From before it says that it listens: whoever reads that may tell it to stop at once.
    const stopped = toldToStop()
    const listening = await serve(argv, process)
    if (!listening) return 0
    await stopped
    await listening.close()
    return 0
  } catch (error) {
    const isKnown = error instanceof ConfigError
    process.stderr.write(`factwire: ${isKnown || error instanceof Error ? error.message : String(error)}\n`)
    return isKnown ? 2 : 1
  }
}

/** Settles when it is told so for the first time. The next time it stops at once. */
function toldToStop(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (first === undefined) {
          first = performance.now()
          process.stdout.write(
            'Stops when runs and streams have come to an end, or at once when it is told so again.\n',
          )
          return resolve()
        }
        if (performance.now() - first > SAME) process.exit(128 + constants.signals[signal])
      })
    }
  })
}
