/** The grammar says what the client really does: what it calls rejected is rejected, what it calls allowed is taken. */
import fc from 'fast-check'
import { checkFrames, tellBreach } from '../check-frames.ts'
import { type Damage, anyDamage, damaged, tellDamage } from '../damage.ts'
import { encode } from '../encode.ts'
import { type Law, LawBroken, type Verdict } from '../law.ts'
import { tellSample } from '../report.ts'
import { type Sample, anySample, liveEvents } from '../sample.ts'
import { stageOf } from '../stage.ts'

interface Broken {
  readonly sample: Sample
  readonly damage: readonly Damage[]
  /** The run whose frames are strange to it. */
  readonly other: Sample
}

export const grammarHolds: Law<Broken> = {
  name: 'grammar',
  says: 'The client rejects what the grammar calls rejected, complains of what it calls warned, and takes the rest.',
  samples: () =>
    fc.record({
      sample: anySample,
      damage: fc.array(anyDamage, { minLength: 1, maxLength: 3 }),
      other: anySample,
    }),
  async check(subject, { sample, damage, other }): Promise<Verdict> {
    const { frames } = encode(subject, sample.run, liveEvents(sample))
    const strange = encode(subject, other.run, liveEvents(other)).frames
    const broken = damaged(frames, damage, strange)
    const body = broken.map((frame) => subject.protocol.framing.text(frame)).join('')
    const { breaches } = checkFrames(subject, broken)
    const view = await subject.view(body, stageOf(subject, sample))
    const streams = { broken: body }
    const rejected = breaches.find(({ force }) => force === 'rejected')
    if (rejected && view.rejected === undefined) {
      throw new LawBroken(`the client takes what breaks ${tellBreach(rejected)}`, { streams })
    }
    if (rejected) return 'held'
    if (view.rejected !== undefined && subject.isBeyondGrammar?.(view.rejected)) return 'held'
    if (view.rejected !== undefined) {
      throw new LawBroken(`the client rejects what the grammar allows: ${view.rejected}`, { streams })
    }
    const warned = breaches.find(({ force }) => force === 'warned')
    const warnings = view.warnings.filter((warning) => !subject.isBeyondGrammar?.(warning))
    if (warned && warnings.length === 0) {
      throw new LawBroken(`the client does not complain of ${tellBreach(warned)}`, { streams })
    }
    if (!warned && warnings.length > 0) {
      throw new LawBroken(`the client complains of what the grammar allows: ${warnings.join(' | ')}`, { streams })
    }
    return 'held'
  },
  tell: (_subject, { sample, damage, other }) => [
    ...tellSample(sample),
    ...damage.map(tellDamage),
    ...(damage.some(({ kind }) => kind === 'strange') ? ['the other run:', ...tellSample(other)] : []),
  ],
}
