/** Text out: what comes within one turn of the event loop is one write, and a slow reader slows the caller. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'

export interface Output {
  /** Resolves when more may come; rejects when the reader is gone. */
  write(text: string): Promise<void>
  /** Resolves when everything is handed over. The stream stays open. */
  flush(): Promise<void>
}

const FULL = 16 * 1024

export function output(stream: Writable): Output {
  let held = ''
  let scheduled: NodeJS.Immediate | undefined
  let broken: Error | undefined
  // Also keeps an error that comes while nobody writes from ending the process.
  stream.on('error', (error) => (broken ??= unwritable(error)))

  function send(): void {
    clearImmediate(scheduled)
    scheduled = undefined
    const text = held
    held = ''
    if (!broken) stream.write(text)
  }

  return {
    async write(text) {
      if (broken) throw broken
      held += text
      if (held.length >= FULL) send()
      else scheduled ??= setImmediate(send)
      if (stream.writableNeedDrain) {
        await once(stream, 'drain').catch((error: unknown) => {
          throw broken ?? error
        })
      }
    },
    async flush() {
      send()
      if (broken) throw broken
      await new Promise<void>((resolve, reject) => {
        stream.write('', (error) => (error ? reject(broken ?? unwritable(error)) : resolve()))
      })
    },
  }
}

function unwritable(error: Error): Error {
  if (isClosedPipe(error)) return error
  const full = 'code' in error && error.code === 'ENOSPC'
  const why = full ? 'no space is left on its disk; make some, then run it again' : error.message
  return new Error(`cannot write to standard output: ${why}`, { cause: error })
}

/** The reader has seen enough, as in `| head -1`. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
}
