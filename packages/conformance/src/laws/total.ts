/** Any order of facts and deltas gives frames, and a stream that is whole. */
import { type Fact, factEvent } from '@factwire/core'
import fc from 'fast-check'
import { encode } from '../encode.ts'
import { type Law, LawBroken } from '../law.ts'
import { type Sample, anySegment, liveEvents } from '../sample.ts'
import { tellEvents } from '../report.ts'
import { demandGrammar } from '../check-frames.ts'

interface Shuffled {
  readonly sample: Sample
  readonly moves: readonly { readonly from: number; readonly to: number }[]
}

const misplaced: readonly Fact[] = [
  { type: 'tool_result', id: 'c9', content: [], is_error: false },
  { type: 'step_ended', message_id: 'nobody' },
  { type: 'run_finished', exhausted: false },
  { type: 'run_failed', code: 'late', message: 'too late' },
  { type: 'run_started' },
  { type: 'awaiting', pending_tool_use_id: 'c9', pending: [{ tool_use_id: 'c9', kind: 'client' }] },
]

const eventsOf = ({ sample, moves }: Shuffled): ReturnType<typeof liveEvents> => {
  const events = [...liveEvents(sample), ...misplaced.map(factEvent)]
  for (const { from, to } of moves) {
    const [moved] = events.splice(from % events.length, 1)
    if (moved) events.splice(to % events.length, 0, moved)
  }
  return events
}

export const total: Law<Shuffled> = {
  name: 'total',
  says: 'Any order of facts and deltas gives frames without an exception, and a stream that its client can read.',
  samples: () =>
    fc.record({ sample: anySegment, moves: fc.array(fc.record({ from: fc.nat(), to: fc.nat() }), { maxLength: 8 }) }),
  check(subject, shuffled) {
    const { run, first } = shuffled.sample
    try {
      const { frames, body } = encode(subject, run, eventsOf(shuffled), first ? { first } : {})
      demandGrammar(subject, frames, body)
    } catch (error) {
      if (error instanceof LawBroken) throw error
      throw new LawBroken(`it throws: ${String(error)}`)
    }
    return 'held'
  },
  tell: (_subject, shuffled) => tellEvents(eventsOf(shuffled)),
}
