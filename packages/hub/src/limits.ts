/** How much a hub keeps, and how long it waits. Every bound is here, has a default, and is printed by the metrics. */

export interface Limits {
  /** Bytes of recent frames that one run keeps, over all its wires. What comes in one tick is one piece, and is held until readers were offered it. */
  readonly windowBytes: number
  /** The same for all runs of the hub. */
  readonly totalWindowBytes: number
  /** Units of text of one uncommitted step. Of a longer one no further delta is shown. */
  readonly openUnits: number
  /**
   * Units of what a run keeps of what was shown of its committed steps: 64 for each fragment between two others, and text that was not
   * committed as it was shown. Where more was shown, a reader that falls behind is ended when it needs what is forgotten: on any wire what
   * was shown since its last fact, on some the whole segment.
   */
  readonly pastUnits: number
  /** The same for all runs of the hub: above it the run that goes on forgets its own first. */
  readonly totalPastUnits: number
  /**
   * Units of text that wait behind one unacknowledged commit, or of a run of another process for facts that are not read yet. What comes
   * beyond is not shown before its fact.
   */
  readonly queueUnits: number
  /** Units of the committed threads of all runs, documents included. While there are more, a run is let go as soon as nobody reads or writes it. */
  readonly threadUnits: number
  /** Facts that a run keeps beside the store. */
  readonly recentFacts: number
  /** Facts in one read of the store. */
  readonly pageFacts: number
  /** Bytes of one write to a reader that catches up. */
  readonly writeBytes: number
  /** Milliseconds of one turn of the event loop that may go into readers who catch up. The others get what is live in between. */
  readonly catchUpMs: number
  readonly readersPerRun: number
  readonly readers: number
  /** Numbers that are reserved in the store at once. */
  readonly reserveBlock: number
  /** Milliseconds that pass before what is live is written. 0: with the end of the turn of the event loop. */
  readonly flushMs: number
  /** Milliseconds of idleness before a heartbeat. */
  readonly heartbeatMs: number
  /** Milliseconds after which a reader that takes nothing is ended. */
  readonly blockedMs: number
  /** Milliseconds for which a run stays that nobody reads and nobody produces. */
  readonly lingerMs: number
  /**
   * Milliseconds after which a producer that says nothing has lost its run. A store has as long to answer any call, and a third of it to
   * renew a lease; then the call has failed.
   */
  readonly leaseMs: number
  /** Milliseconds between two looks for runs whose producer is lost. */
  readonly reapMs: number
  /** Milliseconds between two looks into the store for a run of another process, where no bus says more. */
  readonly pollMs: number
  /**
   * Milliseconds that a producer has to end a run that is to end. Then the hub does, and waits as long to be told what was said to it.
   * Before a run of another process is asked again, too.
   */
  readonly graceMs: number
  /** Milliseconds that a hub that closes waits for its store. Then what is not acknowledged is given up, and its producer told. */
  readonly closeMs: number
  /** Milliseconds before each new try of a store that failed. After the last the producer is told. */
  readonly retryMs: readonly number[]
}

export const defaultLimits: Limits = {
  windowBytes: 256 * 1024,
  totalWindowBytes: 64 * 1024 * 1024,
  openUnits: 1024 * 1024,
  pastUnits: 1024 * 1024,
  totalPastUnits: 64 * 1024 * 1024,
  queueUnits: 1024 * 1024,
  threadUnits: 64 * 1024 * 1024,
  recentFacts: 256,
  pageFacts: 64,
  writeBytes: 64 * 1024,
  catchUpMs: 5,
  readersPerRun: 10_000,
  readers: 20_000,
  reserveBlock: 1024,
  flushMs: 0,
  heartbeatMs: 15_000,
  blockedMs: 30_000,
  lingerMs: 60_000,
  leaseMs: 15_000,
  reapMs: 5000,
  pollMs: 1000,
  graceMs: 10_000,
  closeMs: 10_000,
  retryMs: [100, 500, 2000],
}
