/** What becomes of every fact on new-wire. */
import { type Fidelity, dropped, exact, lossy } from '@factwire/core'

export const fidelity: Fidelity = {
  run_started: exact,
  assistant_message: {
    cases: [{ when: 'its text is one block', holds: ({ content }) => content.length === 1, fate: exact }],
    otherwise: lossy('where its blocks begin'),
  },
  assistant_thinking: dropped(),
  tool_call: exact,
  tool_result: lossy('everything but its text and whether it is an error'),
  awaiting: {
    cases: [
      {
        when: 'it waits for client tools alone',
        holds: ({ pending }) => pending !== undefined && pending.every((entry) => Object.keys(entry).length === 2),
        fate: exact,
      },
    ],
    otherwise: lossy('what an approval asks'),
  },
  continuation: dropped(),
  run_finished: {
    cases: [
      {
        when: 'it ended by itself or had used up its steps, and gives nothing',
        holds: ({ cause, result }) =>
          result === undefined &&
          (cause?.type === 'natural_end' || (cause?.type === 'max_steps' && !('code' in cause))),
        fate: exact,
      },
    ],
    otherwise: lossy('why it ended, and what it gives'),
  },
  run_failed: exact,
  step_ended: dropped('a reader knows it from the results'),
  inference_completed: dropped(),
  state_snapshot: dropped(),
  activity_snapshot: dropped(),
}
