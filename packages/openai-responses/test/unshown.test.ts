/** What is not shown of a message, and the next one. */
import type { Fact } from '@factwire/core'
import { expect, test } from 'vitest'
import { transcoder } from '../src/index.ts'

test.each([
  [
    'a call of the agent',
    {},
    { type: 'tool_call_delta', id: 'c', name: 'look_up', args_delta: '{}', message_id: 'm1' },
  ],
  [
    'a call, in a response that can be resumed,',
    { resumable: true, clientTools: ['look_up'] },
    { type: 'tool_call_delta', id: 'c', name: 'look_up', args_delta: '{}', message_id: 'm1' },
  ],
  ['a thought', { reasoning: false }, { type: 'reasoning_delta', delta: 'Hm.', message_id: 'm1' }],
] as const)('text of the next message waits behind %s that is not committed', (_what, options, unshown) => {
  const target = transcoder({ threadId: 't', runId: 'r' }, options)
  target.fact({ type: 'run_started' })
  target.delta(unshown)
  expect(target.delta({ type: 'text_delta', delta: 'Found', message_id: 'm2', offset: 0 })).toEqual([])
  const committed: readonly Fact[] = [
    { type: 'tool_call', id: 'c', name: 'look_up', input: {}, disposition: 'executed', message_id: 'm1' },
    { type: 'tool_result', id: 'c', content: [], is_error: false },
    { type: 'step_ended', message_id: 'm1' },
  ]
  const frames = [...committed.flatMap((fact) => target.fact(fact)), ...target.settled()]
  expect(JSON.stringify(frames.slice(-2))).toContain('Found')
  expect(frames.length).toBeGreaterThan(2)
})
