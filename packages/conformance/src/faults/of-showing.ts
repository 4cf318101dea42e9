/** Faults of a transcoder that keeps back what a person could already see. */
import type { Delta, Joined } from '@factwire/core'
import { type Fault, hasPlaceFor, tampered, withTranscoder } from '../fault.ts'
import type { Glimpse } from '../glimpse.ts'
import type { Subject } from '../subject.ts'

const LAW = 'seen at once'

/** Deltas of one kind are not shown: whoever sees the facts ends well, and has waited for nothing. */
function unshown(name: string, what: Exclude<keyof Glimpse, 'busy'>, type: Delta['type']): Fault {
  return {
    name,
    law: LAW,
    sabotage: (subject) =>
      subject.glimpse?.shows.includes(what)
        ? tampered(subject, () => ({
            delta: (delta, inner) => (delta.type === type ? [] : inner.delta(delta)),
          }))
        : undefined,
  }
}

function joinedWith(
  name: string,
  law: string,
  change: (joined: Joined) => Joined,
  canTell: (subject: Subject<unknown>) => boolean = () => true,
): Fault {
  return {
    name,
    law,
    sabotage: (subject) =>
      (law === LAW && !subject.glimpse) || !canTell(subject)
        ? undefined
        : withTranscoder(subject, (run, options, joined) =>
            subject.protocol.transcoder(run, options, joined && change(joined)),
          ),
  }
}

export const showingFaults: readonly Fault[] = [
  unshown('text waits until it is committed', 'text', 'text_delta'),
  unshown('what is thought waits until it is committed', 'reasoning', 'reasoning_delta'),
  unshown('arguments wait until they are committed', 'calls', 'tool_call_delta'),
  unshown('what a tool prints is not shown', 'output', 'tool_output_delta'),
  unshown('patches of the state are not shown', 'state', 'state_delta'),
  unshown('patches of an activity are not shown', 'activities', 'activity_delta'),
  joinedWith('who joins is not told what is open', LAW, ({ committed }) => ({ committed, open: [] })),
  joinedWith('who joins is told nothing of what was before', 'join', ({ committed, open }) => ({
    open,
    committed: { ...committed, messages: [] },
  })),
  joinedWith(
    'who joins is not told what model calls have cost before',
    'join',
    ({ committed, open }) => ({ open, committed: { ...committed, inferences: [] } }),
    (subject) => hasPlaceFor(subject, 'inference_completed'),
  ),
]
