/** What a producer holds in its hands: one run, which nobody else may write meanwhile. */
import type { Commit, Committed, Delta, Message, Standing, Written } from '@factwire/core'

export interface Receipt {
  /** The run's revision with the commit. */
  readonly revision: number
  /** A commit of that key was stored before; this one changed nothing. */
  readonly repeated: boolean
}

export interface CommitOptions {
  /** Under the same key a run takes one commit, however often it is tried. */
  readonly key?: string
}

/**
 * Deltas are shown at once. What comes after a commit waits until the store has it.
 *
 * After an `awaiting` commit the run is anybody's again, and after its end nobody's. A promise that nobody looks at is no
 * danger: `signal` says too that a run is lost.
 */
export interface Producer {
  readonly runId: string
  /** Aborts when the run is to end, with the `EndCause` as its reason, and when it is lost, with a `FactwireError`. */
  readonly signal: AbortSignal
  /** What a `runWriter` has given. Settles when what it committed is stored. */
  write(written: Written): Promise<void>
  /**
   * Folds a commit, stores it and shows its facts.
   *
   * @throws FactwireError `run_ended`, `run_taken` when another has the run, `store_failed`.
   */
  commit(commit: Commit, options?: CommitOptions): Promise<Receipt>
  /** @throws TypeError for a fragment of a message that is not named. */
  delta(delta: Delta): void
  /** Where the thread stands, with all that was committed so far, stored or not. */
  standing(): Standing
  /** The stored thread, history included. */
  messages(): readonly Message[]
  /** The stored thread, whom it waits for, and its documents: what an agent's loop goes on from. */
  committed(): Committed
}
