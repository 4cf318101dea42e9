import { type EndCause, endRun, type Fact, fold, type Message, type Standing } from '@factwire/core'
import { expect, test } from 'vitest'

const openCalls = [
  { id: 'c1', name: 'read', message_id: 'm' },
  { id: 'c2', name: 'write', message_id: 'm' },
]
const standing: Standing = { state: { type: 'running' }, openCalls }

function factsOf(cause: EndCause, partial?: Message, before = standing): readonly Fact[] {
  return fold(endRun(before, cause, partial), before).facts
}

test('ends a run without open calls with nothing but its state', () => {
  const cause: EndCause = { type: 'natural_end' }
  expect(endRun({ state: { type: 'running' }, openCalls: [] }, cause)).toStrictEqual({
    messages: [],
    state: { type: 'ended', cause },
  })
})

test('gives each open call an error result in a message of its own', () => {
  const { messages } = endRun(standing, { type: 'error', failure: { code: 'overloaded', message: 'try later' } })
  expect(messages).toStrictEqual(
    openCalls.map(({ id }) => ({
      id: `tool-${id}`,
      role: 'tool',
      content: [
        {
          type: 'tool_result',
          tool_use_id: id,
          content: [{ type: 'text', text: 'No result: the run failed (try later).' }],
          is_error: true,
        },
      ],
    })),
  )
})

test('closes the step and leaves no call open', () => {
  expect(factsOf({ type: 'cancelled' }).map(({ type }) => type)).toStrictEqual([
    'tool_result',
    'tool_result',
    'step_ended',
    'run_finished',
  ])
  expect(fold(endRun(standing, { type: 'cancelled' }), standing).after.openCalls).toStrictEqual([])
})

test('marks the calls of a cancelled run as cancelled, and only those', () => {
  const marks = (cause: EndCause): unknown[] =>
    factsOf(cause).flatMap((fact) => (fact.type === 'tool_result' ? [fact.cancelled] : []))
  expect(marks({ type: 'cancelled' })).toStrictEqual([true, true])
  expect(marks({ type: 'natural_end' })).toStrictEqual([undefined, undefined])
})

test('commits the message that was being written, before the results of its calls', () => {
  const partial: Message = {
    id: 'm2',
    role: 'assistant',
    content: [
      { type: 'text', text: 'Let me' },
      { type: 'tool_use', id: 'c3', name: 'read', input: null, raw_input: '{"pa' },
    ],
  }
  const before: Standing = { state: { type: 'running' }, openCalls: [] }
  expect(factsOf({ type: 'cancelled' }, partial, before)).toMatchObject([
    { type: 'assistant_message', id: 'm2', content: [{ type: 'text', text: 'Let me' }] },
    { type: 'tool_call', id: 'c3', input: null, raw_input: '{"pa' },
    { type: 'tool_result', id: 'c3', is_error: true, cancelled: true },
    { type: 'step_ended', message_id: 'm2' },
    { type: 'run_finished', exhausted: false, cause: { type: 'cancelled' } },
  ])
})

test('starts a run that had been awaiting before it ends it', () => {
  const before: Standing = { state: { type: 'awaiting' }, openCalls }
  expect(factsOf({ type: 'cancelled' }, undefined, before)[0]).toStrictEqual({ type: 'run_started' })
})

test.each<[cause: EndCause, reason: string]>([
  [{ type: 'natural_end' }, 'the run ended first'],
  [{ type: 'behavior_requested' }, 'the run ended first'],
  [{ type: 'max_steps' }, 'the run had used up its steps'],
  [{ type: 'stopped', code: 'budget' }, 'the run was stopped (budget)'],
  [{ type: 'stopped', code: 'budget', detail: '5 $' }, 'the run was stopped (5 $)'],
  [{ type: 'cancelled' }, 'the run was cancelled'],
  [{ type: 'blocked', reason: 'policy' }, 'the run was blocked (policy)'],
  [{ type: 'error', failure: { code: 'overloaded' } }, 'the run failed (overloaded)'],
  [{ type: 'indeterminate' }, 'it is not known how the run ended'],
])('says for %j why there is no result', (cause, reason) => {
  expect(factsOf(cause)[0]).toMatchObject({
    content: [{ type: 'text', text: `No result: ${reason}.` }],
    is_error: true,
  })
})
