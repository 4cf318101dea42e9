/** The time that a producer has to end a run that is to end. Then the hub does, and tries again as long as it cannot. */
import type { EndCause } from '@factwire/core'
import type { Setting } from './setting.ts'

export interface Grace {
  begin(cause: EndCause): void
  stop(): void
}

export function grace(end: (cause: EndCause) => Promise<void>, { clock, limits, onError }: Setting): Grace {
  let callOff: (() => void) | undefined
  let stopped = false

  function begin(cause: EndCause): void {
    callOff = clock.after(limits.graceMs, () => {
      end(cause).catch((error: unknown) => {
        onError(error)
        if (!stopped) begin(cause)
      })
    })
  }

  return {
    begin,
    stop() {
      stopped = true
      callOff?.()
    },
  }
}
