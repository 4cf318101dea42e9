/** The port of whoever keeps and shows a run: what was written goes out in its order, one thing after the other. */
import type { Written } from '@factwire/core'

/** A commit is stored before its events are shown; deltas are shown at once. A hub's `Producer` is one. */
export interface Output {
  /** Settles when what was committed is durable. */
  write(written: Written): Promise<void> | void
}

export interface Publisher {
  /** Settles when all that was given so far is written. After a failure it rejects with that, whatever it is given. */
  publish(written: Written): Promise<void>
  /** What the output threw: nothing can be written any more, and the run goes on from the store, another time. */
  readonly lost: { readonly error: unknown } | undefined
}

export function publisher(output: Output, onLost: (error: unknown) => void): Publisher {
  let last: Promise<void> = Promise.resolve()
  let lost: { readonly error: unknown } | undefined

  async function write(before: Promise<void>, written: Written): Promise<void> {
    await before
    try {
      await output.write(written)
    } catch (error) {
      lost = { error }
      onLost(error)
      throw error
    }
  }

  return {
    publish(written) {
      if (written.events.length === 0 && !written.commit) return last
      last = write(last, written)
      // Not everybody waits for what a tool prints.
      last.catch(() => undefined)
      return last
    },
    get lost() {
      return lost
    },
  }
}
