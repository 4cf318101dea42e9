/** Keeps the lease of a run that is produced here, until it is lost or given back. */
import type { Setting } from './setting.ts'

export interface Renewal {
  stop(): void
}

/** `onLost`: somebody else has the run. A store that fails is asked again. */
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
      store.renew(runId, epoch, clock.now() + limits.leaseMs).then(
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
