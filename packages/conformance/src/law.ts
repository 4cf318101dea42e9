/** What a law is: samples to try, and a check that says where a subject breaks it. */
import type { Json } from '@factwire/core'
import type { Arbitrary } from 'fast-check'
import { type ClientView, type Comparison, compared, firstDifference } from './seen.ts'
import type { Subject } from './subject.ts'

export interface Law<Sample = unknown> {
  /** Two or three words, such as `truth wins`. */
  readonly name: string
  /** The promise, in one sentence. */
  readonly says: string
  /** Why it does not concern a subject; undefined where it does. */
  excuse?(subject: Subject<unknown>): string | undefined
  samples(subject: Subject<unknown>): Arbitrary<Sample>
  /** Share of the runs that a hunt gives it, where a sample costs much more or less than elsewhere. Default 1. */
  readonly share?: number
  /** @throws LawBroken */
  check(subject: Subject<unknown>, sample: Sample): Verdict | Promise<Verdict>
  /** The run in a sample, as lines, for a report. */
  tell(subject: Subject<unknown>, sample: Sample): readonly string[]
}

/** `failed`: honestly, as a stream that says so. `passed over`: the sample is none for this law. */
export type Verdict = 'held' | 'failed' | 'passed over'

/** The failure of a stream whose client cannot be brought to the truth. */
export const RECONCILIATION = 'stream_reconciliation_failed'

export interface Evidence {
  /** The streams that were looked at, by what they are. */
  readonly streams?: Readonly<Record<string, string>>
  readonly expected?: Json | undefined
  readonly actual?: Json | undefined
  readonly at?: string
}

export class LawBroken extends Error {
  override readonly name = 'LawBroken'
  readonly evidence: Evidence

  constructor(reason: string, evidence: Evidence = {}) {
    super(reason)
    this.evidence = evidence
  }
}

/** Two clients must have seen the same. */
export function demandSame(
  expected: ClientView,
  actual: ClientView,
  comparison: Comparison,
  streams: Readonly<Record<string, string>>,
): void {
  const difference = firstDifference(compared(expected, comparison), compared(actual, comparison))
  if (!difference) return
  throw new LawBroken(`the views part at ${difference.path}`, {
    streams,
    at: difference.path,
    expected: difference.expected,
    actual: difference.actual,
  })
}

/** The client took the whole stream and complained of nothing. */
export function demandAccepted(view: ClientView, name: string, body: string): void {
  const streams = { [name]: body }
  if (view.rejected !== undefined) throw new LawBroken(`the client gives it up: ${view.rejected}`, { streams })
  if (view.warnings.length > 0) throw new LawBroken(`the client complains: ${view.warnings.join(' | ')}`, { streams })
}
