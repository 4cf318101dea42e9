/**
 * What becomes of every fact on this wire, which is made for the one answer of a model: what an agent does on the way to it is
 * not shown, and its messages are one text.
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
  assistant_message: lossy('its id and its bounds: all messages of a run are one text'),
  assistant_thinking: dropped('reasoning is sent only where an option names a field for it'),
  tool_call: {
    cases: [
      {
        when: 'the client is to run it',
        holds: ({ disposition }) => disposition === 'pending_client',
        fate: lossy('the message that it stands in'),
      },
      {
        when: 'the agent runs it',
        holds: ({ disposition }) => disposition === 'executed',
        fate: dropped('a client would run it again'),
      },
    ],
    otherwise: lossy('all but a question: a call of the approval tool asks whether it may run'),
  },
  tool_result: dropped('results go from a client to the agent'),
  awaiting: {
    cases: [waitsForClient, waitsForNobody],
    otherwise: lossy(
      'what is no id of a call, and that an approval is one: it is a call of the approval tool, if there is one',
    ),
  },
  continuation: dropped(),
  run_finished: {
    cases: [{ when: 'its cause has a finish reason of its own', holds: hasReason, fate: exact }, wasCancelled],
    otherwise: lossy('why it ended, and its result'),
  },
  run_failed: {
    cases: [failedPlainly],
    otherwise: lossy('how its code is written, an empty message, and the end of a long one'),
  },
  step_ended: harmless(dropped()),
  inference_completed: lossy(
    'how long it took, and where one model call ends: usage is one sum, for a client that asked for it',
  ),
  state_snapshot: dropped(),
  activity_snapshot: dropped(),
}

function hasReason({ exhausted, cause, result }: RunFinished): boolean {
  if (result !== undefined) return false
  switch (cause?.type) {
    case 'natural_end':
      return !exhausted
    case 'max_steps':
      return exhausted && cause.code === 'length'
    case 'blocked':
      return !exhausted && cause.reason === 'content_filter'
    default:
      return false
  }
}
