/** Deltas that the bus brought before the facts that they belong after: they wait, in so much room and no more. */
import type { NumberedDelta } from './bus.ts'
import { sizeOf } from './delta-size.ts'
import type { Held } from './setting.ts'

export interface Early {
  add(after: number, deltas: readonly NumberedDelta[]): void
  /** Takes out those that belong after facts up to that number. */
  due(lastFact: number): readonly NumberedDelta[]
  drop(): void
}

export function earlyDeltas(limit: number, held: Held): Early {
  let waiting: (NumberedDelta & { readonly after: number })[] = []
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
    add(after, deltas) {
      for (const { seq, delta } of deltas) {
        waiting.push({ seq, delta, after })
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
