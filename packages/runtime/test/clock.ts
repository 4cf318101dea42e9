/** A clock that stands still until somebody turns it. */
import type { Clock } from '../src/index.ts'

export interface ManualClock extends Clock {
  /** Turns the clock to the next timer and runs it. False when there is none. */
  next(): boolean
  /** How far it is to the next one. */
  readonly due: number | undefined
}

export function manualClock(): ManualClock {
  let now = 1_780_000_000_000
  let count = 0
  const timers = new Map<number, { readonly at: number; readonly task: () => void }>()
  const first = (): [number, { readonly at: number; readonly task: () => void }] | undefined =>
    [...timers].toSorted(([one, a], [other, b]) => a.at - b.at || one - other)[0]
  return {
    now: () => now,
    after(milliseconds, task) {
      const id = count++
      timers.set(id, { at: now + milliseconds, task })
      return () => void timers.delete(id)
    },
    next() {
      const found = first()
      if (!found) return false
      const [id, { at, task }] = found
      timers.delete(id)
      now = at
      task()
      return true
    },
    get due() {
      const found = first()
      return found && found[1].at - now
    },
  }
}

/** Enough for everything that needs no timer: nothing in the tests waits for more than promises. */
const TURNS = 4

export async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate)
}

/** Turns the clock whenever nothing else happens, until the promise settles. */
export async function patiently<Value>(clock: ManualClock, promise: Promise<Value>): Promise<Value> {
  let over = false
  const done = (): void => void (over = true)
  promise.then(done, done)
  for (;;) {
    await turns()
    if (over) return promise
    if (!clock.next()) throw new Error('nothing happens any more, and it is not over')
  }
}
