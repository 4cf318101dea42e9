/** The facts of late, and the older ones from the store: many readers that want the same get one read. */
import type { Setting } from './setting.ts'
import type { NumberedFact, StoredFact } from './store.ts'

export interface Recent {
  add(facts: readonly NumberedFact[]): void
  /** Facts above `seq` and up to `last`, lowest first; not necessarily all of them. */
  after(seq: number, last: number): readonly StoredFact[] | Promise<readonly StoredFact[]>
}

export function recentFacts(runId: string, { store, limits }: Pick<Setting, 'store' | 'limits'>): Recent {
  let kept: StoredFact[] = []
  /** Facts above this number are kept. */
  let floor = -1
  const reads = new Map<number, Promise<readonly StoredFact[]>>()

  async function read(seq: number, last: number): Promise<readonly StoredFact[]> {
    try {
      const facts = await store.facts(runId, seq, limits.pageFacts)
      // What is stored and not shown yet comes in its turn.
      return facts.filter((fact) => fact.seq <= last)
    } finally {
      reads.delete(seq)
    }
  }

  return {
    add(facts) {
      kept.push(...facts.map((fact, index) => ({ ...fact, last: index === facts.length - 1 })))
      if (kept.length < 2 * limits.recentFacts) return
      floor = kept.at(-limits.recentFacts - 1)?.seq ?? floor
      kept = kept.slice(-limits.recentFacts)
    },
    after(seq, last) {
      if (seq >= last) return []
      if (seq >= floor) {
        const index = kept.findIndex((fact) => fact.seq > seq)
        return index < 0 ? [] : kept.slice(index)
      }
      const running = reads.get(seq)
      if (running) return running
      const reading = read(seq, last)
      reads.set(seq, reading)
      // Who waits for it hears that it fails; but who asked may have something to write first, and leave meanwhile.
      reading.catch(() => undefined)
      return reading
    },
  }
}
