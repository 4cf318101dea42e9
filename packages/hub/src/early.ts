/** Deltas that the bus brought before the facts that they belong after: they wait, in so much room and no more. */
import type { NumberedDelta } from './bus.ts'
import { sizeOf } from './delta-size.ts'
import type { Held } from './setting.ts'

export interface EarlyDelta extends NumberedDelta {
  readonly after: number
  /** All that is open after that fact, of which it is one. */
  readonly whole: readonly NumberedDelta[] | undefined
}

export interface Early {
  add(after: number, deltas: readonly NumberedDelta[], whole?: boolean): void
  /** Takes out those that belong after facts up to that number. */
  due(lastFact: number): readonly EarlyDelta[]
  drop(): void
}

export function earlyDeltas(limit: number, held: Held): Early {
  let waiting: EarlyDelta[] = []
  let units = 0

  function count(more: number): void {
    units += more
    held.queueUnits += more
  }

  function drop(): void {
    waiting = []
    count(-units)
  }

  return {
    add(after, deltas, whole = false) {
      for (const { seq, delta } of deltas) {
        waiting.push({ seq, delta, after, whole: whole ? deltas : undefined })
        count(sizeOf(delta))
      }
      // Who cannot keep up with the store is shown no preview.
      if (units > limit) drop()
    },
    due(lastFact) {
      if (waiting.length === 0) return waiting
      const due = waiting.filter(({ after }) => after <= lastFact)
      waiting = waiting.filter(({ after }) => after > lastFact)
      for (const { delta } of due) count(-sizeOf(delta))
      return due
    },
    drop,
  }
}
