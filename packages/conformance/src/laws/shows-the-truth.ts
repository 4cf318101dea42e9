/** The facts alone, read by a client, are what was committed: told by nobody but the commits. */
import { encode } from '../encode.ts'
import { type Law, LawBroken, type Verdict, demandAccepted } from '../law.ts'
import { tellSample } from '../report.ts'
import { type Sample, anySegment, factEvents } from '../sample.ts'
import { type ClientView, compared, firstDifference } from '../seen.ts'
import { idsAreUnique } from '../situation.ts'
import { stageOf } from '../stage.ts'
import { truthOf } from '../truth.ts'

export const showsTheTruth: Law<Sample> = {
  name: 'shows the truth',
  says: 'A client that reads the facts alone ends with what the commits hold, as far as the wire can show it.',
  samples: () => anySegment.map((sample): Sample => ({ ...sample, disturbance: { kind: 'none' } })),
  async check(subject, sample): Promise<Verdict> {
    const { run, first, reasoning } = sample
    const { body } = encode(subject, run, factEvents(sample), first ? { first } : {})
    const view = await subject.view(body, stageOf(subject, sample))
    demandAccepted(view, 'facts', body)
    const truth = truthOf(run, first)
    const shown = subject.shows?.(truth, run, first) ?? truth
    const expected: ClientView = { ...shown, warnings: [] }
    const comparison = { ids: idsAreUnique(run, first), reasoning, more: expected.more !== undefined }
    const difference = firstDifference(compared(expected, comparison), compared(view, comparison))
    if (difference) {
      const { path, ...parts } = difference
      throw new LawBroken(`the client and the commits part at ${path}`, {
        streams: { facts: body },
        at: path,
        ...parts,
      })
    }
    return 'held'
  },
  tell: (_subject, sample) => tellSample(sample),
}
