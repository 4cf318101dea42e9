/** Whatever became of the deltas, the client ends with what the facts say, or with an honest failure. */
import { contextOf, encode } from '../encode.ts'
import { type Law, LawBroken, RECONCILIATION, demandAccepted, demandSame } from '../law.ts'
import { tellSample } from '../report.ts'
import { type Sample, anySegment, factEvents, liveEvents } from '../sample.ts'
import { allThink, callsMisplaced, callsShareIds, callsTaken } from '../situation.ts'
import { stageOf } from '../stage.ts'

export const truthWins: Law<Sample> = {
  name: 'truth wins',
  says: 'Whatever deltas a client saw, it ends with the committed view. Only a wire that takes nothing back may fail instead.',
  samples: () => anySegment,
  async check(subject, sample) {
    const { run, first, disturbance, reasoning } = sample
    // Who does not know the thread cannot know which of its ids are taken.
    const known = !first || contextOf(subject, run, first).history !== undefined
    if (!known && disturbance.kind === 'foreign') return 'passed over'
    const facts = encode(subject, run, factEvents(sample), first ? { first } : {})
    const live = encode(subject, run, liveEvents(sample), first ? { first } : {})
    const stage = stageOf(subject, sample)
    const truth = await subject.view(facts.body, stage)
    const view = await subject.view(live.body, stage)
    demandAccepted(truth, 'facts', facts.body)
    demandAccepted(view, 'live', live.body)
    const streams = { facts: facts.body, live: live.body }
    if (truth.code === RECONCILIATION) throw new LawBroken('facts alone fail to agree with themselves', { streams })
    if (view.code === RECONCILIATION) {
      if (subject.repairs !== false || !mayFail(sample)) {
        throw new LawBroken('the stream fails, although the client could have been brought to the truth', { streams })
      }
      return 'failed'
    }
    // A run that failed for a reason of its own keeps it, whatever was shown before.
    if (subject.repairs === false && mayFail(sample) && view.status === 'failed' && view.code === truth.code)
      return 'failed'
    const comparison = {
      // What was given up keeps its ids where nothing can be taken back.
      ids: run.marked && disturbance.kind !== 'foreign' && (subject.repairs !== false || !run.resets),
      reasoning: reasoning && allThink(run),
      more: true,
    }
    demandSame(truth, view, comparison, streams)
    return 'held'
  },
  tell: (_subject, sample) => tellSample(sample),
}

/**
 * No delta and any prefix always heal, unless the producer itself takes back what it had said, or a call from its client. With offsets everything does,
 * but where the beginning of a call was lost and the next went out in its place.
 */
function mayFail({ run, disturbance }: Sample): boolean {
  if (disturbance.kind === 'none') return false
  if (run.resets || callsTaken(run).size > 0 || callsShareIds(run) || disturbance.kind === 'foreign') return true
  return disturbance.kind === 'noise' && (!run.marked || callsMisplaced(run, disturbance))
}
