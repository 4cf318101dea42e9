/**
 * What becomes of every fact on this wire, which is made for the one answer of a model: the messages of a run are its blocks.
 *
 * It says what holds for the transcoder's default options, where a client brought the tools that are called.
 */
import {
  dropped,
  exact,
  type Fidelity,
  harmless,
  lossy,
  type RunFinished,
  failedPlainly,
  waitsForClient,
  waitsForNobody,
  wasCancelled,
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
    cases: [waitsForClient, waitsForNobody],
    otherwise: lossy(
      'what is no id of a call, and that an approval is one: it is a call of the approval tool, if there is one',
    ),
  },
  continuation: dropped(),
  run_finished: {
    cases: [{ when: 'its cause has a stop reason of its own', holds: hasReason, fate: exact }, wasCancelled],
    otherwise: lossy('why it ended, and its result'),
  },
  run_failed: {
    cases: [failedPlainly],
    otherwise: lossy('how its code is written, an empty message, and the end of a long one'),
  },
  step_ended: harmless(dropped()),
  inference_completed: lossy('how long it took, and where one model call ends: usage is one sum'),
  state_snapshot: dropped(),
  activity_snapshot: dropped(),
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
