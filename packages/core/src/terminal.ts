/** How a segment may end: one pure decision, shared by every transcoder. */

export type End = 'awaiting' | 'finished' | 'failed'

export interface EndRequest {
  /** `run_started` was given. */
  readonly started: boolean
  /** An end was emitted before. */
  readonly ended: boolean
  /** What was shown agrees with the committed truth. */
  readonly exact: boolean
  readonly requested: End
}

export type EndDecision = End | 'already_emitted' | 'reject_unstarted'

/** Absorbing, at most one, none before a start, and what is inexact fails whatever was asked for. */
export function decideEnd({ started, ended, exact, requested }: EndRequest): EndDecision {
  if (ended) return 'already_emitted'
  if (!started) return 'reject_unstarted'
  return exact ? requested : 'failed'
}
