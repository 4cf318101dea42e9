/** Where the client of a sample stands. */
import { contextOf, encode } from './encode.ts'
import { type Sample, factEvents } from './sample.ts'
import type { Stage, Subject } from './subject.ts'

/** A client that is about to read the sample's segment has read the one before. */
export function stageOf<Frame>(subject: Subject<Frame>, sample: Sample): Stage {
  const { run, first } = sample
  const context = contextOf(subject, run, first)
  if (!first) return { run, context }
  const had = encode(subject, first, factEvents({ ...sample, run: first })).body
  return { run, context, first, had }
}
