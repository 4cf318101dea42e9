/** What a hub has done and what it holds, as plain numbers that a host can export. */
import type { Limits } from './limits.ts'

/** What only grows. */
export interface Counters {
  /** Pieces of bytes that were handed to readers, and how many bytes. */
  deliveries: number
  deliveredBytes: number
  /** Steps that the store has acknowledged. */
  commits: number
  /** Deltas of producers. */
  deltas: number
  /** Deltas that some reader was not shown, counted once for each reader; and those that nobody was shown. */
  deltasSkipped: number
  /** Bytes that readers behind the window got. */
  catchUpBytes: number
  /** Facts that were read from the store for readers who are behind. */
  factsBehind: number
  /** Readers that fell behind the window, and those that came back to it. */
  fellBehind: number
  cameBack: number
  /** Readers that were ended because they took nothing. */
  blockedEnded: number
  /** Runs that were ended because their producer was lost. */
  reaped: number
  /** Producers that were refused because another has the run. */
  fenced: number
  /** Calls of the store that failed, or were not answered in time. */
  storeFailures: number
}

/** What is held now, and the limits that bound it. */
export interface Metrics extends Readonly<Counters> {
  readonly runs: number
  readonly readers: number
  /** Readers with a stream of their own. */
  readonly behind: number
  readonly windowBytes: number
  /** Units of text of steps that are not committed. */
  readonly openUnits: number
  /** Units of what was shown of steps that are. */
  readonly pastUnits: number
  /** Units of text behind unacknowledged commits, and of deltas whose facts are not read yet. */
  readonly queueUnits: number
  /** Units of JSON of the committed threads of these runs, documents included, and 64 for each commit. Of those that are read or written nothing bounds them but the runs: who comes late is told the whole. */
  readonly threadUnits: number
  readonly limits: Limits
}

export function createCounters(): Counters {
  return {
    deliveries: 0,
    deliveredBytes: 0,
    commits: 0,
    deltas: 0,
    deltasSkipped: 0,
    catchUpBytes: 0,
    factsBehind: 0,
    fellBehind: 0,
    cameBack: 0,
    blockedEnded: 0,
    reaped: 0,
    fenced: 0,
    storeFailures: 0,
  }
}
