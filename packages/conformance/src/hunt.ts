/** Looks for a sample that breaks a law. */
import fc from 'fast-check'
import { type Law, LawBroken } from './law.ts'
import { type Found } from './report.ts'
import { labelOf, type Subject } from './subject.ts'

export interface HuntOptions {
  readonly seed: number
  readonly runs: number
  /** Of an earlier find: try this sample alone. */
  readonly path?: string
}

/** What a hunt came to. */
export interface Hunt {
  readonly runs: number
  /** The client ended with the truth. */
  readonly held: number
  /** The stream ended as failed, and was allowed to. */
  readonly failed: number
  readonly passedOver: number
  readonly found?: Found
}

export async function hunt<Frame, Options, Sample>(
  given: Subject<Frame, Options>,
  law: Law<Sample>,
  { seed, runs, path }: HuntOptions,
): Promise<Hunt> {
  // A law never looks into a frame or an option: it hands them from one function of the subject to another.
  const subject = given as unknown as Subject<unknown>
  const tally = { held: 0, failed: 0, 'passed over': 0 }
  let broken: LawBroken | undefined
  const property = fc.asyncProperty(law.samples(subject), async (sample) => {
    try {
      tally[await law.check(subject, sample)]++
    } catch (error) {
      broken = error instanceof LawBroken ? error : new LawBroken(`it throws: ${stackOf(error)}`)
      throw broken
    }
  })
  const details = await fc.check(property, { seed, numRuns: runs, ...(path === undefined ? {} : { path }) })
  const counts = { runs: details.numRuns, held: tally.held, failed: tally.failed, passedOver: tally['passed over'] }
  const sample = details.counterexample?.[0]
  if (!details.failed || sample === undefined) return counts
  // The last failure that shrinking saw need not be of the sample it settled on.
  broken = await failureOf(subject, law, sample, broken)
  return {
    ...counts,
    found: {
      protocol: labelOf(subject),
      law: law.name,
      says: law.says,
      seed: details.seed,
      path: details.counterexamplePath ?? '',
      run: law.tell(subject, sample),
      broken,
    },
  }
}

async function failureOf<Sample>(
  subject: Subject<unknown>,
  law: Law<Sample>,
  sample: Sample,
  last: LawBroken | undefined,
): Promise<LawBroken> {
  try {
    await law.check(subject, sample)
  } catch (error) {
    if (error instanceof LawBroken) return error
    return new LawBroken(`it throws: ${stackOf(error)}`)
  }
  const seen = last ?? new LawBroken('it broke once')
  return new LawBroken(`${seen.message} (and not when tried again: the subject keeps state)`, seen.evidence)
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : `something that is no error: ${String(error)}`
