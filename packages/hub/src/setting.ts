/** What all parts of one hub share. */
import type { Clock } from './clock.ts'
import type { Limits } from './limits.ts'
import type { Counters } from './metrics.ts'
import type { FactStore } from './store.ts'

export interface Setting {
  readonly store: FactStore
  readonly clock: Clock
  readonly limits: Limits
  readonly counters: Counters
  /** What is held now, over all runs. */
  readonly held: Held
  onError(error: unknown): void
}

export interface Held {
  windowBytes: number
  openUnits: number
  queueUnits: number
  readers: number
  behind: number
}
