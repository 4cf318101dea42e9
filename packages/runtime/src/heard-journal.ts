/** A journal that keeps no run from its end: what it has not answered some time after the run is to end has failed. */
import type { Clock } from './clock.ts'
import type { Journal } from './journal.ts'
import type { Stop } from './stop.ts'

/** `silence` is what it fails with then. */
export function heardJournal(journal: Journal, silence: Error, stop: Stop, clock: Clock, graceMs: number): Journal {
  function heard<Value>(promise: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      let callOff: (() => void) | undefined
      const deaf = stop.hear(() => {
        callOff = clock.after(graceMs, () => reject(silence))
      })
      promise.then(resolve, reject).finally(() => {
        deaf()
        callOff?.()
      })
    })
  }

  return {
    read: async (runId) => heard(journal.read(runId)),
    add: async (runId, notes) => heard(journal.add(runId, notes)),
    claim: async (runId, callId) => heard(journal.claim(runId, callId)),
    clear: async (runId) => heard(journal.clear(runId)),
  }
}
