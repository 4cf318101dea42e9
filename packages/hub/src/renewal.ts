/** Keeps the lease of a run that is produced here, until it is lost or given back. */
import { inTime } from './patience.ts'
import type { Setting } from './setting.ts'

export interface Renewal {
  stop(): void
}

/** `onLost`: somebody else has the run. A store that fails, or is silent, is asked again. */
export function renewal(
  runId: string,
  epoch: number,
  onLost: () => void,
  { store, clock, limits, onError }: Setting,
): Renewal {
  let stopped = false
  let callOff = later()

  function later(): () => void {
    return clock.after(limits.leaseMs / 3, () => {
      // What is late is asked again: the lease has not run out by then.
      const third = limits.leaseMs / 3
      inTime(clock, third, store.renew(runId, epoch, clock.now() + limits.leaseMs), 'the store').then(
        (held) => {
          if (stopped) return
          if (held) callOff = later()
          else onLost()
        },
        (error: unknown) => {
          onError(error)
          if (!stopped) callOff = later()
        },
      )
    })
  }

  return {
    stop() {
      stopped = true
      callOff()
    },
  }
}
