/**
 * The port of whoever keeps the facts: steps are appended, facts are read again, and one producer at a time holds a run.
 *
 * Times come from the hub's clock, so hubs that share a store need clocks that differ by less than a lease. Everything that
 * is stored is plain JSON.
 */
import type { Commit, Fact, RunContext, Standing } from '@factwire/core'

export interface NumberedFact {
  readonly seq: number
  readonly fact: Fact
}

/** A fact as it is read again. */
export interface StoredFact extends NumberedFact {
  /** The last of its commit. */
  readonly last: boolean
}

/** What one commit made true. */
export interface Step {
  readonly commit: Commit
  /** What the fold gave for it. May be none. */
  readonly facts: readonly NumberedFact[]
  /** Where the thread stands after it. */
  readonly after: Standing
  /** The first delta of a message since the commit before. Absent where there was none, null where nobody knows. */
  readonly opened?: Opened | null
}

/** From that number on a reader may have begun the step of that message. */
export interface Opened {
  readonly seq: number
  readonly message: string
}

export interface StoredStep extends Step {
  /** The run's revision with it: steps count from 1. */
  readonly revision: number
  readonly key: string
}

/** Who may append to a run, and until when. Each holder has a higher epoch than all before. */
export interface Lease {
  readonly owner: string
  readonly epoch: number
  /** Unix time, milliseconds. */
  readonly until: number
}

export interface RunRecord {
  readonly run: RunContext
  /** How many steps it has. */
  readonly revision: number
  /** Numbers below are taken, shown or not. */
  readonly reserved: number
  /** Number of its last fact, -1 before the first. */
  readonly lastFact: number
  readonly standing: Standing
  readonly lease: Lease
}

/** A claim on a run from `now` on. */
export interface Claim {
  readonly owner: string
  readonly now: number
  readonly until: number
}

export type Created = { readonly created: boolean; readonly record: RunRecord }

export type Acquired =
  | { readonly type: 'held'; readonly record: RunRecord }
  /** Somebody else has it. */
  | { readonly type: 'refused'; readonly lease: Lease }
  | { readonly type: 'unknown' }

export interface Append {
  readonly epoch: number
  /** The revision that the step is appended to. */
  readonly revision: number
  /** Of one step of this run: under the same key it is appended once. */
  readonly key: string
  /** The new mark of reserved numbers; a lower one changes nothing, but with `release`. */
  readonly reserve: number
  /** The lease is over with this step, and numbers from `reserve` on are free again. */
  readonly release: boolean
  readonly step: Step
}

export type Appended =
  | { readonly type: 'appended'; readonly revision: number }
  /** A step of that key is stored already, with that revision, and `first` is the number of its first fact. */
  | { readonly type: 'repeated'; readonly revision: number; readonly first: number | undefined }
  /** The run is at another revision. */
  | { readonly type: 'conflict'; readonly revision: number }
  /** Another producer has taken the run over. */
  | { readonly type: 'fenced'; readonly epoch: number }

export interface FactStore {
  /** A new run, its lease with epoch 1, and its first numbers. Of a run that exists, what is stored. */
  create(run: RunContext, claim: Claim, reserve: number): Promise<Created>
  load(runId: string): Promise<RunRecord | undefined>
  /** Takes a run whose lease has run out at `claim.now`, under the next epoch. */
  acquire(runId: string, claim: Claim): Promise<Acquired>
  /**
   * False when the epoch is not that of the lease any more. A call may come late, behind others: an earlier time changes nothing, and a
   * lease that was given back stays so.
   */
  renew(runId: string, epoch: number, until: number): Promise<boolean>
  /** The lease is over, and numbers from `next` on are free again. Does nothing under another epoch. */
  release(runId: string, epoch: number, next: number): Promise<void>
  /** False when the epoch is not that of the lease any more. A lower mark changes nothing. */
  reserve(runId: string, epoch: number, upTo: number): Promise<boolean>
  /** In one transaction, and durable before it settles. The key is looked at first, then the epoch, then the revision. */
  append(runId: string, append: Append): Promise<Appended>
  /** At most `limit` facts with a number above `after`, lowest first. Empty for none. */
  facts(runId: string, after: number, limit: number): Promise<readonly StoredFact[]>
  /** At most `limit` steps after that revision, in order. */
  steps(runId: string, after: number, limit: number): Promise<readonly StoredStep[]>
  /** At most `limit` runs that neither wait nor have ended, and whose lease had run out at `now`. */
  abandoned(now: number, limit: number): Promise<readonly string[]>
}
