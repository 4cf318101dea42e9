/** The same facts are the same bytes, and the ids of the live stream where it knew them. */
import { type AgentEvent, writer } from '@factwire/core'
import { contextOf, encode } from '../encode.ts'
import { type Law, LawBroken, RECONCILIATION } from '../law.ts'
import { tellSample } from '../report.ts'
import { type Sample, anySegment, factEvents, liveEvents } from '../sample.ts'
import { callsTaken } from '../situation.ts'
import { type ClientView, firstDifference } from '../seen.ts'
import type { Subject } from '../subject.ts'
import { stageOf } from '../stage.ts'

const idsOf = ({ turns }: ClientView): string[] =>
  turns.flatMap(({ id, text, calls }) => [
    ...(id === undefined || (text === '' && calls.length === 0) ? [] : [`message ${id}`]),
    ...calls.map((call) => `call ${call.id}`),
  ])

/** A server writes text without frames where it can: it must be the text of the frames. */
function demandWritten<Frame, Options>(subject: Subject<Frame, Options>, sample: Sample): void {
  const { run, first } = sample
  const events = liveEvents(sample)
  const frames = encode(subject, run, events, first ? { first } : {}).body
  const options = subject.options === undefined ? {} : { transcoder: subject.options }
  const { push, close } = writer(subject.protocol, contextOf(subject, run, first), options)
  const text = events.map(push).join('') + close()
  if (text !== frames) {
    throw new LawBroken('what a server writes is not the text of the frames', { streams: { frames, text } })
  }
}

export const replay: Law<Sample> = {
  name: 'replay',
  says: 'The same facts give the same bytes; where deltas carried the ids of their messages, with the ids of the live stream.',
  samples: () => anySegment.map((sample): Sample => ({ ...sample, disturbance: { kind: 'all' } })),
  async check(subject, sample) {
    const { run, first } = sample
    const write = (events: readonly AgentEvent[]): string => encode(subject, run, events, first ? { first } : {}).body
    const facts = write(factEvents(sample))
    const again = write(factEvents(sample))
    if (facts !== again) throw new LawBroken('the same facts give other bytes', { streams: { facts, again } })
    demandWritten(subject, sample)
    if (!run.marked) return 'held'
    // What was given up keeps its id where nothing can be taken back.
    if (subject.repairs === false && (run.resets || callsTaken(run).size > 0)) return 'passed over'
    const stage = stageOf(subject, sample)
    const live = write(liveEvents(sample))
    const view = await subject.view(live, stage)
    if (view.code === RECONCILIATION) return 'failed'
    const expected = idsOf(await subject.view(facts, stage))
    const actual = idsOf(view)
    const difference = firstDifference(expected, actual)
    if (difference) {
      throw new LawBroken('the replay has other ids than the live stream', {
        streams: { facts, live },
        expected,
        actual,
      })
    }
    return 'held'
  },
  tell: (_subject, sample) => tellSample(sample),
}
