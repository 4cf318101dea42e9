/** What all parts of one hub share. */
import type { Clock } from './clock.ts'
import type { Limits } from './limits.ts'
import type { Counters } from './metrics.ts'
import type { FactStore } from './store.ts'
import type { Turns } from './turns.ts'

export interface Setting {
  readonly store: FactStore
  readonly clock: Clock
  readonly limits: Limits
  readonly counters: Counters
  /** What is held now, over all runs. */
  readonly held: Held
  /** Of readers that are behind. */
  readonly turns: Turns
  onError(error: unknown): void
}

export interface Held {
  windowBytes: number
  openUnits: number
  pastUnits: number
  queueUnits: number
  threadUnits: number
  readers: number
  behind: number
}
