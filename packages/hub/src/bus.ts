/**
 * The port that carries what is live between processes: deltas, and word of new facts. At most once: what is lost, doubled or
 * late costs a preview, never a fact, because facts are read from the store, and who asks does so again.
 */
import type { Delta, Failure } from '@factwire/core'

/** `delta` says where it starts, so that a reader of the bus notices what is missing. */
export interface NumberedDelta {
  readonly seq: number
  readonly delta: Delta
}

export type LiveMessage =
  /** Deltas that belong after the fact numbered `after`. */
  | {
      readonly type: 'deltas'
      readonly epoch: number
      readonly after: number
      readonly deltas: readonly NumberedDelta[]
      /** They are all that is open, merged: for who has nothing of it. Otherwise each follows the one before it by its number. */
      readonly whole?: true
    }
  /** Facts up to that number are stored. */
  | { readonly type: 'facts'; readonly epoch: number; readonly last: number }
  /** Somebody has just come and has nothing of the open step. */
  | { readonly type: 'wanted' }
  /** The run is to end. */
  | { readonly type: 'ask'; readonly ask: Ask }

/** Why somebody outside wants a run to end. */
export type Ask =
  | { readonly type: 'cancelled' }
  | { readonly type: 'stopped'; readonly code: string; readonly detail?: string }
  | { readonly type: 'error'; readonly failure: Failure }

export interface LiveBus {
  /** Never throws and waits for nobody. Messages of one run and one publisher keep their order. */
  publish(runId: string, message: LiveMessage): void
  /** Once it settles, what is published from then on comes, also what this process publishes. Gives how to stop it. */
  subscribe(runId: string, listener: (message: LiveMessage) => void): Promise<() => void>
}
