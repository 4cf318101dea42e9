/** Keeps the lease of a run that is produced here, until it is lost or given back. */
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
  const third = limits.leaseMs / 3
  let callOff = later(third)

  function later(milliseconds: number): () => void {
    return clock.after(milliseconds, () => {
      const began = clock.now()
      // A third after the last began, whatever became of that: the lease has not run out by then.
      const again = (): void => {
        if (!stopped) callOff = later(Math.max(0, began + third - clock.now()))
      }
      store.renew(runId, epoch, began + limits.leaseMs).then(
        (held) => {
          if (held) again()
          else if (!stopped) onLost()
        },
        (error: unknown) => {
          onError(error)
          again()
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
