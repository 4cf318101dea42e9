/** Text in, bytes out that belong to whoever takes them. */
import type { Take } from './contender.ts'

export interface Outlet {
  write(text: string): void
  /** Gives what was kept back. */
  end(): void
}

/** How much text becomes one Buffer: each event its own, or at least this many units. */
export type Batch = 'each' | number

export function outlet(take: Take, batch: Batch): Outlet {
  if (batch === 'each') return { write: (text) => take(Buffer.from(text)), end() {} }
  let pending = ''
  return {
    write(text) {
      pending += text
      if (pending.length < batch) return
      take(Buffer.from(pending))
      pending = ''
    },
    end() {
      if (pending !== '') take(Buffer.from(pending))
    },
  }
}
