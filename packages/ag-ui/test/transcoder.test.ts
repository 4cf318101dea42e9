import {
  type AgentEvent,
  type Delta,
  deltaEvent,
  type Fact,
  factEvent,
  type Message,
  type RunContext,
  type ToolCallFact,
} from '@factwire/core'
import { groupsOf } from '@factwire/conformance'
import { expect, test } from 'vitest'
import { type AgUiOptions, transcoder } from '../src/transcoder.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { clientView } from './client.ts'

const run: RunContext = { threadId: 'thread-1', runId: 'run-1', history: [] }

const isDelta = (event: Fact | Delta): event is Delta => event.type.endsWith('_delta') || event.type === 'stream_reset'

function written(events: readonly (Fact | Delta)[], context: RunContext = run, options: AgUiOptions = {}): AgUiEvent[] {
  const all = events.map((event): AgentEvent => (isDelta(event) ? deltaEvent(event) : factEvent(event)))
  return groupsOf(all, transcoder(context, options)).flat()
}

const call: ToolCallFact = {
  type: 'tool_call',
  id: 'c',
  name: 'search',
  input: {},
  disposition: 'executed',
  message_id: 'm',
}
const result = (id: string, messageId: string): Fact => ({
  type: 'tool_result',
  id,
  content: [{ type: 'text', text: `of ${id}` }],
  is_error: false,
  message_id: messageId,
})
const finished: Fact = { type: 'run_finished', exhausted: false }

test('two results that are stored under one id have two ids, so that a snapshot keeps them apart', async () => {
  const calls = ['c', 'd', 'e'].map((id): Fact => ({ ...call, id, message_id: id }))
  const frames = written([
    { type: 'run_started' },
    ...calls.flatMap((made, index): (Fact | Delta)[] => [
      made,
      result(['c', 'd', 'e'][index] ?? '', index === 1 ? 'other' : 'tool'),
    ]),
    { type: 'text_delta', delta: 'not so' },
    { type: 'stream_reset', reason: 'lost' },
    finished,
  ])
  const { messages } = await clientView(frames)
  expect(frames.some(({ type }) => type === 'MESSAGES_SNAPSHOT')).toBe(true)
  expect(messages.flatMap((message) => (message.role === 'tool' ? [[message.id, message.content]] : []))).toEqual([
    ['tool', 'of c'],
    ['other', 'of d'],
    ['tool-2', 'of e'],
  ])
})

test.each([
  ['the result follows the call, which is committed later', [call], 'of c'],
  ['it goes with a call that is not committed', [], 'the message was not committed'],
])('of a result that comes before its call is committed, %s', (_, committed, told) => {
  const frames = written([
    { type: 'run_started' },
    { type: 'tool_call_delta', id: 'c', name: 'search', args_delta: '{' },
    result('c', 'tool'),
    { type: 'tool_call_delta', id: 'c', name: 'search', args_delta: '}' },
    ...committed,
    finished,
  ])
  const calls = frames.filter(({ type }) => type.startsWith('TOOL'))
  expect(calls.map(({ type }) => type.slice('TOOL_CALL_'.length))).toEqual(['START', 'ARGS', 'ARGS', 'END', 'RESULT'])
  expect(calls.at(-1)).toMatchObject({ content: told })
})

test.each([
  [true, ['Once.', '']],
  [false, ['']],
])('with `reasoning: %s` a client keeps as much of what it knew of earlier thoughts', async (reasoning, kept) => {
  const history: RunContext['history'] = [
    {
      id: 'old',
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'Once.' },
        { type: 'text', text: 'Hi.' },
      ],
    },
  ]
  const frames = written(
    [
      { type: 'run_started' },
      { type: 'reasoning_delta', delta: 'Wrong.' },
      { type: 'stream_reset', reason: 'lost' },
      finished,
    ],
    { ...run, history },
    { reasoning },
  )
  const { messages } = await clientView(frames, [
    { id: 'old-reasoning', role: 'reasoning', content: 'Once.' },
    { id: 'old', role: 'assistant', content: 'Hi.' },
  ])
  expect(messages.flatMap((message) => (message.role === 'reasoning' ? [message.content] : []))).toEqual(kept)
})

test('a stream that cannot be put right leaves no call open or without a result', () => {
  const frames = written(
    [
      { type: 'run_started' },
      { type: 'tool_call_delta', id: 'wrong', name: 'search', args_delta: '{}' },
      call,
      result('c', 'tool'),
      finished,
    ],
    { threadId: 'thread-1', runId: 'run-1' },
  )
  expect(frames.flatMap((frame) => ('toolCallId' in frame ? [[frame.type, frame.toolCallId]] : []))).toEqual([
    ['TOOL_CALL_START', 'wrong'],
    ['TOOL_CALL_ARGS', 'wrong'],
    ['TOOL_CALL_END', 'wrong'],
    ['TOOL_CALL_RESULT', 'wrong'],
  ])
  expect(frames.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'stream_reconciliation_failed' })
})

test('a thought that comes late is still told where nothing can be moved', () => {
  const frames = written(
    [
      { type: 'run_started' },
      { type: 'tool_call_delta', id: 'c', name: 'search', args_delta: '{}' },
      { type: 'assistant_thinking', message_id: 'm', text: 'Hm.' },
      call,
      result('c', 'tool'),
      finished,
    ],
    { threadId: 'thread-1', runId: 'run-1' },
  )
  expect(frames.map(({ type }) => type)).toContain('REASONING_MESSAGE_CONTENT')
  expect(frames.at(-1)).toMatchObject({ type: 'RUN_FINISHED' })
})

test('a call behind one whose id was used before waits for it, where nothing can be moved', () => {
  const other: Fact = { ...call, id: 'd', message_id: 'n' }
  const frames = written(
    [
      { type: 'run_started' },
      call,
      result('c', 'tool'),
      { type: 'step_ended', message_id: 'm' },
      { type: 'tool_call_delta', id: 'c', name: 'search', args_delta: '{}' },
      { type: 'tool_call_delta', id: 'd', name: 'search', args_delta: '{}' },
      { ...call, message_id: 'n' },
      other,
      result('c', 'tool-c'),
      result('d', 'tool-d'),
      finished,
    ],
    { threadId: 'thread-1', runId: 'run-1' },
  )
  expect(frames.flatMap((frame) => (frame.type === 'TOOL_CALL_START' ? [frame.toolCallId] : []))).toEqual([
    'c',
    'c-2',
    'd',
  ])
})

test('a result that is told again is told once', () => {
  const frames = written([
    { type: 'run_started' },
    call,
    result('c', 'tool'),
    result('c', 'tool'),
    result('x', 'y'),
    finished,
  ])
  expect(frames.flatMap((frame) => (frame.type === 'TOOL_CALL_RESULT' ? [frame.toolCallId] : []))).toEqual(['c', 'x'])
})

test('a call that was told by its fact has a result, also where a later message cannot be put right', () => {
  const frames = written(
    [
      { type: 'run_started' },
      { ...call, disposition: 'pending_client' },
      { type: 'step_ended', message_id: 'm' },
      { type: 'text_delta', delta: 'no', message_id: 'n', offset: 0 },
      { type: 'assistant_message', id: 'n', content: [{ type: 'text', text: 'yes' }] },
      finished,
    ],
    { threadId: 'thread-1', runId: 'run-1' },
  )
  expect(frames.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'stream_reconciliation_failed' })
  expect(frames.flatMap((frame) => (frame.type === 'TOOL_CALL_RESULT' ? [frame.toolCallId] : []))).toEqual(['c'])
})

test('a thought that turns out to be none is taken back', async () => {
  const frames = written([
    { type: 'run_started' },
    { type: 'reasoning_delta', delta: 'Hm.' },
    { type: 'assistant_thinking', message_id: 'm', text: '', signature: 's' },
    { type: 'assistant_message', id: 'm', content: [{ type: 'text', text: 'Hi.' }] },
    finished,
  ])
  const { messages } = await clientView(frames)
  expect(messages.flatMap((message) => (message.role === 'reasoning' ? [message.content] : [])).join('')).toBe('')
})

test('a thought that text has ended keeps its signature', async () => {
  const frames = written([
    { type: 'run_started' },
    { type: 'reasoning_delta', delta: 'Hm.', message_id: 'm', offset: 0 },
    { type: 'text_delta', delta: 'Hi', message_id: 'm', offset: 0 },
    { type: 'assistant_thinking', message_id: 'm', text: 'Hm.', signature: 'c2lnbmVk' },
    { type: 'assistant_message', id: 'm', content: [{ type: 'text', text: 'Hi.' }] },
    finished,
  ])
  expect(frames).toContainEqual(expect.objectContaining({ metadata: { factwire: { signature: 'c2lnbmVk' } } }))
  const { messages, warnings } = await clientView(frames)
  expect(warnings).toEqual([])
  expect(messages.map(({ role, content }) => [role, content])).toEqual([
    ['reasoning', 'Hm.'],
    ['assistant', 'Hi.'],
  ])
})

test('a run that goes on mints other ids than before it had waited', () => {
  const idsIn = (context: RunContext): string[] => {
    const target = transcoder(context)
    target.fact({ type: 'run_started' })
    const frames = ['a', 'b'].flatMap((delta) => [
      ...target.delta({ type: 'text_delta', delta }),
      ...target.delta({ type: 'stream_reset', reason: 'again' }),
    ])
    return frames.flatMap((frame) => (frame.type === 'TEXT_MESSAGE_START' ? [frame.messageId] : []))
  }
  const run: RunContext = { threadId: 't', runId: 'r', history: [] }
  const stored: Message = { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'a' }] }
  const [first, second] = [idsIn(run), idsIn({ ...run, history: [stored] })]
  expect(new Set([...first, ...second]).size).toBe(4)
})

test('a patch that comes after the commit that holds it changes nothing', async () => {
  const log = (revision: number, value: string): Delta => ({
    type: 'state_delta',
    delta: [{ op: 'add', path: '/log/-', value }],
    revision,
  })
  const frames = written([
    { type: 'run_started' },
    { type: 'state_snapshot', snapshot: { log: [] }, revision: 0 },
    log(0, 'a'),
    { type: 'state_snapshot', snapshot: { log: ['a', 'b'] }, revision: 2 },
    log(1, 'b'),
    log(2, 'c'),
    finished,
  ])
  expect((await clientView(frames)).state).toEqual({ log: ['a', 'b', 'c'] })
})

test('the thoughts of a message that another overtakes are taken back with it', async () => {
  const frames = written([
    { type: 'run_started' },
    { type: 'reasoning_delta', delta: 'Hm', message_id: 'later', offset: 0 },
    { type: 'assistant_thinking', message_id: 'm', text: '', signature: 'c2lnbmVk' },
    { ...call, disposition: 'pending_client' },
    { type: 'awaiting', pending_tool_use_id: 'c', pending: [{ tool_use_id: 'c', kind: 'client' }] },
  ])
  const { messages, warnings } = await clientView(frames)
  expect(warnings).toEqual([])
  expect(messages.filter((message) => message.role === 'reasoning' && message.content !== '')).toEqual([])
})
