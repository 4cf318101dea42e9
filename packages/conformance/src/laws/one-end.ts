/** A segment ends once, and says nothing before its start or after its end; a producer that vanishes is a failure. */
import { encode } from '../encode.ts'
import { demandGrammar } from '../check-frames.ts'
import { type Law, LawBroken, demandAccepted } from '../law.ts'
import { tellSample } from '../report.ts'
import { type Sample, anySegment, liveEvents, placeIn } from '../sample.ts'
import { stageOf } from '../stage.ts'

const ENDS: readonly string[] = ['awaiting', 'run_finished', 'run_failed']

/** Where the producer goes: often before its end, sometimes after. */
const keptOf = (sample: Sample): ReturnType<typeof liveEvents> => {
  const events = liveEvents(sample)
  return events.slice(0, placeIn(sample, events.length + 1))
}

export const oneEnd: Law<Sample> = {
  name: 'one end',
  says: 'A segment has exactly one end: nothing comes before its start or after its end, and a producer that vanishes is a failure.',
  samples: () => anySegment,
  async check(subject, sample) {
    const { run, first } = sample
    const kept = keptOf(sample)
    const { frames, body } = encode(subject, run, kept, first ? { first } : {})
    const streams = { 'cut off': body }
    if (!kept.some(({ event }) => event.type === 'run_started')) {
      if (frames.length > 0) throw new LawBroken('it writes before the run has started', { streams })
      return 'passed over'
    }
    demandGrammar(subject, frames, body)
    const view = await subject.view(body, stageOf(subject, sample))
    demandAccepted(view, 'cut off', body)
    const ended = kept.some(({ event }) => ENDS.includes(event.type))
    if (!ended && view.status !== 'failed') {
      throw new LawBroken(`the producer vanished, and the client takes the run as ${view.status}`, { streams })
    }
    const failed = kept.some(({ event }) => event.type === 'run_failed')
    if (failed && view.status !== 'failed') {
      throw new LawBroken(`the run failed, and the client takes it as ${view.status}`, { streams })
    }
    if (ended && view.status === 'running') throw new LawBroken('the run ended, and the client waits on', { streams })
    return 'held'
  },
  tell: (_subject, sample) => tellSample(sample, keptOf(sample)),
}
