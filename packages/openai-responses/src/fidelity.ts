/** What becomes of every fact on this wire, for the transcoder's default options. */
import {
  dropped,
  exact,
  type Fidelity,
  harmless,
  lossy,
  type RunFailed,
  type RunFinished,
  waitsForClient,
  waitsForNobody,
} from '@factwire/core'

export const fidelity: Fidelity = {
  run_started: exact,
  assistant_message: {
    cases: [{ when: 'its text is one block', holds: ({ content }) => content.length === 1, fate: exact }],
    otherwise: lossy('where one block ends and the next begins'),
  },
  assistant_thinking: {
    cases: [
      {
        when: 'it has no words',
        holds: ({ text = '' }) => text === '',
        fate: harmless(dropped('a thought is shown by its words')),
      },
    ],
    otherwise: lossy('its message, where that says nothing, and what its provider wants back'),
  },
  tool_call: {
    cases: [
      {
        when: 'somebody has to agree to it or run it first',
        holds: ({ disposition }) => disposition !== 'executed',
        fate: lossy('its message; it is told when the run waits for it'),
      },
    ],
    otherwise: lossy('how its id is written, and its message, where that says nothing'),
  },
  tool_result: lossy('everything but its text and whether it is an error'),
  awaiting: {
    cases: [waitsForClient, waitsForNobody],
    otherwise: lossy('what an approval asks beside its call, and how that id is written'),
  },
  continuation: dropped(),
  run_finished: {
    cases: [
      { when: 'its end has a word of its own on the wire', holds: hasWord, fate: exact },
      {
        when: 'it was blocked otherwise than by a filter',
        holds: ({ cause, exhausted }) => cause?.type === 'blocked' && !exhausted,
        fate: lossy('by what: it is incomplete, as if by a filter, and so no whole answer'),
      },
    ],
    otherwise: lossy('why it ended, and its result'),
  },
  run_failed: {
    cases: [{ when: 'there is a message', holds: isPlain, fate: exact }],
    otherwise: lossy('an empty message, and the end of a long one'),
  },
  step_ended: harmless(dropped('a reader knows it from the results')),
  inference_completed: lossy('how long it took, and where one model call ends: usage is one sum'),
  state_snapshot: dropped('an event that clients do not know is an error to them'),
  activity_snapshot: dropped('an event that clients do not know is an error to them'),
}

function hasWord({ exhausted, cause, result }: RunFinished): boolean {
  if (result !== undefined) return false
  switch (cause?.type) {
    case 'natural_end':
    case 'cancelled':
      return !exhausted
    case 'max_steps':
      return exhausted && cause.code === 'length'
    case 'blocked':
      return !exhausted && cause.reason === 'content_filter'
    default:
      return false
  }
}

function isPlain({ code, message }: RunFailed): boolean {
  return code !== '' && code.length <= 200 && message !== '' && message.length <= 4000
}
