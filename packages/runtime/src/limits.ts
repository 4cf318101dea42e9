/** How long, how often, how much: every bound of a run, with its default. Times are milliseconds. */

export interface Limits {
  /** How often the model is asked in one run. Then the run ends as exhausted. */
  readonly steps: number
  /** Silence of a provider, bytes of any kind counted, from the request on. */
  readonly idleMs: number
  /** One whole call of the model. */
  readonly totalMs: number
  /** How often a request is made again before anything of its answer was shown. */
  readonly retries: number
  /** How often an answer that broke off after it was shown is taken up again, within one step. */
  readonly recoveries: number
  /** The longest wait that a provider may ask for. If it wants more, the run fails. */
  readonly retryAfterMs: number
  /** The wait before a request is made again, `attempt` counted from 0. */
  backoffMs(attempt: number): number
  /** A tool that sets no time of its own. */
  readonly toolMs: number
  /** How long tools may go on after a cancel, for what they still give to be kept, and how long the journal is waited for then. */
  readonly graceMs: number
  /** Fragments of text and arguments between two checkpoints of an answer, and a sixteenth of what it has by then. */
  readonly checkpointEvery: number
  /** Whether an answer that broke off is continued behind its text. If not, it is taken back and asked for again. */
  readonly continueText: boolean
}

/** Those of a run whose host says nothing. */
export const defaultLimits: Limits = {
  steps: 20,
  idleMs: 60_000,
  totalMs: 600_000,
  retries: 2,
  recoveries: 2,
  retryAfterMs: 60_000,
  backoffMs: (attempt) => Math.min(500 * 2 ** attempt, 8000),
  toolMs: 120_000,
  graceMs: 1000,
  checkpointEvery: 4,
  continueText: true,
}
