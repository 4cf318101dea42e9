import type { Delta, Fact, RunState, Standing } from '@factwire/core'
import { expect, test } from 'vitest'
import { reduce } from '../src/reduce.ts'
import { transcoder } from '../src/transcoder.ts'
import type { FlatEvent } from '../src/wire.ts'

const run = { threadId: 't', runId: 'r' }
const patch = (message_id: string, activity_type: string): Delta => ({
  type: 'activity_delta',
  message_id,
  activity_type,
  patch: [{ op: 'add', path: '/n', value: 1 }],
  revision: 0,
})

test('activities whose names run together have their own revisions', () => {
  const target = transcoder(run)
  target.fact({ type: 'run_started' })
  for (const [id, type] of [
    ['a', 'b c'],
    ['a b', 'c'],
    ['a:b', 'c'],
    ['a', 'b:c'],
  ] as const) {
    expect(target.delta(patch(id, type))).toHaveLength(1)
    expect(target.delta(patch(id, type))).toEqual([])
  }
})

test.each<[RunState, string]>([
  [{ type: 'ended', cause: { type: 'natural_end' } }, 'natural_end'],
  [{ type: 'ended', cause: { type: 'cancelled' } }, 'cancelled'],
  [{ type: 'ended', cause: { type: 'error', failure: { code: 'x', message: 'no' } } }, 'error'],
  [{ type: 'awaiting' }, 'suspended'],
])('a client that joins a run in the state %j hears of it', (state, termination) => {
  const standing: Standing = { state, openCalls: [{ id: 'c', name: 'ask', message_id: 'm' }] }
  const message = {
    id: 'm',
    role: 'assistant' as const,
    content: [
      { type: 'text' as const, text: 'Well' },
      { type: 'tool_use' as const, id: 'c', name: 'ask', input: {} },
    ],
  }
  const target = transcoder(run, undefined, { committed: { messages: [message], standing }, open: [] })
  const frames = target.settled()
  expect(frames.slice(0, 2).map(({ event_type }) => event_type)).toEqual(['run_start', 'messages_snapshot'])
  expect(frames.at(-1)).toMatchObject({ event_type: 'run_finish', termination: { type: termination } })
  const late: Fact = { type: 'run_finished', exhausted: false }
  expect([...target.fact(late), ...target.close()]).toEqual([])
})

const textOf = (text: string, message_id: string): Delta => ({ type: 'text_delta', delta: text, message_id, offset: 0 })
const types = (frames: readonly FlatEvent[]): string[] => frames.map(({ event_type }) => event_type)

test('a step that has ended is not begun again by what comes late: a reader would drop what it had', () => {
  const target = transcoder(run)
  const frames = [
    ...target.fact({ type: 'run_started' }),
    ...target.fact({ type: 'assistant_thinking', message_id: 'm', text: 'Hm' }),
    ...target.fact({ type: 'step_ended', message_id: 'm' }),
    ...target.fact({ type: 'assistant_message', id: 'm', content: [{ type: 'text', text: 'Hi' }] }),
    ...target.fact({ type: 'run_finished', exhausted: false }),
  ]
  const { turns } = reduce(frames)
  expect(turns.map(({ reasoning, text }) => reasoning + text)).toEqual(['Hm', 'Hi'])
})

test('the result of an earlier call is not given to a preview that has its id', () => {
  const target = transcoder(run)
  target.fact({ type: 'run_started' })
  target.delta(textOf('So', 'm'))
  target.delta({ type: 'tool_call_delta', id: 'c', name: 'sum', args_delta: '', message_id: 'm', offset: 0 })
  const result: Fact = { type: 'tool_result', id: 'c', content: [{ type: 'text', text: '3' }], is_error: false }
  expect(types(target.fact(result))).toEqual(['stream_reset', 'tool_call_resumed'])
  expect(types(target.settled())).toEqual(['step_start', 'text_delta', 'tool_call_start'])
})

test('a message that is told again is told with the results that its calls have', () => {
  const target = transcoder(run)
  const frames = [
    ...target.fact({ type: 'run_started' }),
    ...target.delta({ type: 'reasoning_delta', delta: 'Hm', message_id: 'm', offset: 0 }),
    ...target.fact({
      type: 'tool_call',
      id: 'c',
      name: 'sum',
      input: {},
      disposition: 'executed',
      message_id: 'm',
    }),
    ...target.fact({ type: 'tool_result', id: 'c', content: [{ type: 'text', text: '3' }], is_error: false }),
    ...target.fact({ type: 'assistant_thinking', message_id: 'm', text: 'Well' }),
    ...target.fact({ type: 'run_finished', exhausted: false }),
  ]
  const [turn] = reduce(frames).turns
  expect([turn?.reasoning, turn?.calls.map(({ status }) => status)]).toEqual(['Well', ['succeeded']])
})

test('a thought that comes when another step has begun takes nothing back that a client could not find again', () => {
  const target = transcoder(run)
  const call = { id: 'c', name: 'search', message_id: 'm' }
  const told = [
    ...target.fact({ type: 'run_started' }),
    ...target.delta({ type: 'reasoning_delta', delta: 'let me see', message_id: 'm' }),
    ...target.fact({ type: 'tool_call', ...call, input: {}, disposition: 'executed' }),
    ...target.fact({ type: 'tool_result', id: 'c', content: [], is_error: false }),
    ...target.delta({ type: 'text_delta', delta: 'Found.', message_id: 'n' }),
  ]
  const late = target.fact({ type: 'assistant_thinking', message_id: 'm', text: 'something else' })
  expect([...told, ...late].filter(({ event_type }) => event_type === 'tool_call_start')).toHaveLength(1)
})
