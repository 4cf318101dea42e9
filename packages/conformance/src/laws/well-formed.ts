/** The wire's own client and validator accept every stream, and complain of nothing. */
import { encode } from '../encode.ts'
import { demandGrammar } from '../check-frames.ts'
import { type Law, LawBroken, type Verdict, demandAccepted } from '../law.ts'
import { tellSample } from '../report.ts'
import { type Sample, anySegment, liveEvents } from '../sample.ts'
import { stageOf } from '../stage.ts'

export const wellFormed: Law<Sample> = {
  name: 'well formed',
  says: "The wire's own client or validator accepts every stream, with no warning, and it breaks no rule of the grammar.",
  samples: () => anySegment,
  async check(subject, sample): Promise<Verdict> {
    const { frames, body } = encode(
      subject,
      sample.run,
      liveEvents(sample),
      sample.first ? { first: sample.first } : {},
    )
    demandGrammar(subject, frames, body)
    const complaints = (await subject.judge?.(frames)) ?? []
    if (complaints.length > 0) {
      throw new LawBroken(`the validator complains: ${complaints.join(' | ')}`, { streams: { live: body } })
    }
    demandAccepted(await subject.view(body, stageOf(subject, sample)), 'live', body)
    return 'held'
  },
  tell: (_subject, sample) => tellSample(sample),
}
