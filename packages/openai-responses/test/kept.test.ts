/** What the response of a failed run still has. */
import { expect, test } from 'vitest'
import { transcoder } from '../src/index.ts'

test('a thought that is not what was committed is not in the output of the response that fails for it', () => {
  const target = transcoder({ threadId: 't', runId: 'r' })
  target.fact({ type: 'run_started' })
  target.delta({ type: 'reasoning_delta', delta: 'Left.', message_id: 'm' })
  target.fact({ type: 'assistant_thinking', text: 'Right.', message_id: 'm' })
  target.fact({ type: 'assistant_message', id: 'm', content: [{ type: 'text', text: 'Go right.' }] })
  const frames = [...target.settled(), ...target.fact({ type: 'run_finished', exhausted: false })]
  const [end] = frames.filter((frame) => typeof frame !== 'string' && frame.type === 'response.failed')
  expect(end).toMatchObject({ response: { error: { message: 'what was shown is not what was committed' } } })
  expect(JSON.stringify(end)).not.toContain('Left')
})
