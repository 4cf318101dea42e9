/** `node apps/gateway/dist/main.js`, or `factwire serve`: serves until it is told to stop. */
import { ConfigError } from './config.ts'
import { serve } from './serve.ts'

/** Gives an exit code, once there is one. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const listening = await serve(argv, process)
    if (!listening) return 0
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
    })
    await listening.close()
    return 0
  } catch (error) {
    const isKnown = error instanceof ConfigError
    process.stderr.write(`factwire: ${isKnown || error instanceof Error ? error.message : String(error)}\n`)
    return isKnown ? 2 : 1
  }
}
