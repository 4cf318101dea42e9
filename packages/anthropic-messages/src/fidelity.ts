/**
 * What becomes of every fact on this wire, which is made for the one answer of a model: the messages of a run are its blocks.
 *
 * It says what holds for the transcoder's default options, where a client brought the tools that are called.
 */
import {
  type Awaiting,
  dropped,
  exact,
  type Fidelity,
  harmless,
  lossy,
  type RunFailed,
  type RunFinished,
} from '@factwire/core'

export const fidelity: Fidelity = {
  run_started: exact,
  assistant_message: lossy('its id, and its bounds: texts that stand next to each other are one'),
  assistant_thinking: lossy('the message that it stands in'),
  tool_call: lossy(
    'the message that it stands in, how its arguments were written, and whether it waits for an approval',
  ),
  tool_result: lossy('everything but its text and whether it is an error; a client has its own results'),
  awaiting: {
    cases: [
      {
        when: 'it waits for nothing but calls that the client runs',
        holds: isForClientOnly,
        fate: exact,
      },
      {
        when: 'nobody is named to wait for',
        holds: ({ pending_tool_use_id, pending = [] }) => pending_tool_use_id === null && pending.length === 0,
        fate: dropped('the run fails, because its client can do nothing'),
      },
    ],
    otherwise: lossy(
      'what is no id of a call, and that an approval is one: it is a call of the approval tool, if there is one',
    ),
  },
  continuation: dropped(),
  run_finished: {
    cases: [
      { when: 'its cause has a stop reason of its own', holds: hasReason, fate: exact },
      {
        when: 'somebody has ended it',
        holds: ({ cause }) => cause?.type === 'cancelled',
        fate: dropped('the run fails, because what was cut off is no answer'),
      },
    ],
    otherwise: lossy('why it ended, and its result'),
  },
  run_failed: {
    cases: [
      {
        when: 'its code is a word of lower-case letters and digits, and there is a message',
        holds: isPlain,
        fate: exact,
      },
    ],
    otherwise: lossy('how its code is written, an empty message, and the end of a long one'),
  },
  step_ended: harmless(dropped()),
  inference_completed: lossy('how long it took, and where one model call ends: usage is one sum'),
  state_snapshot: dropped(),
  activity_snapshot: dropped(),
}

function isForClientOnly({ pending_tool_use_id, pending = [] }: Awaiting): boolean {
  const [first] = pending
  return (
    first !== undefined &&
    first.tool_use_id === pending_tool_use_id &&
    pending.every((entry) => entry.kind === 'client' && Object.keys(entry).length === 2)
  )
}

const STOPPED_AT: ReadonlySet<string | undefined> = new Set(['length', 'context_window', 'pause_turn'])

function hasReason({ exhausted, cause, result }: RunFinished): boolean {
  if (result !== undefined) return false
  switch (cause?.type) {
    case 'natural_end':
      return !exhausted
    case 'max_steps':
      return exhausted && STOPPED_AT.has(cause.code)
    case 'blocked':
      return !exhausted && cause.reason === 'refusal'
    default:
      return false
  }
}

function isPlain({ code, message }: RunFailed): boolean {
  const word = /^(?=.*[a-z])[a-z0-9]+(_[a-z0-9]+)*$/.test(code) && code.length <= 64
  return word && message.length > 0 && message.length <= 4000
}
