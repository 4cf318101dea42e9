import {
  type AgentEvent, type Commit, type Delta, type EndCause, type Fact, type Json, type Pending, type SuspendTicket,
  type TerminationReason, type ToolResult, isCommit, reader,
} from '@factwire/core' // prettier-ignore
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decoder } from '../src/decoder.ts'
import { framing } from '../src/framing.ts'
import { parseFlat } from '../src/parse.ts'
import { createSseReader } from '../src/read.ts'
import type { FlatEvent } from '../src/wire.ts'

const sse = { name: 'sse', framing, decoder }

/** Flat events, one JSON a line. */
function lines(text: string): FlatEvent[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : (parseFlat(JSON.parse(line)) ?? [])))
}

function decodeAll(events: readonly FlatEvent[]): (Delta | Commit)[] {
  const { push, end } = decoder()
  return [...events.flatMap((event) => push(event)), ...end()]
}

function read(events: readonly FlatEvent[]): AgentEvent[] {
  const { push, end } = reader(sse)
  return [...events.flatMap((event) => push({ data: JSON.stringify(event) })), ...end()]
}

const facts = (events: readonly FlatEvent[]): Fact[] =>
  read(events).flatMap((event) => (event.tier === 'fact' ? [event.event] : []))
const deltas = (events: readonly FlatEvent[]): Delta[] =>
  decodeAll(events).filter((item): item is Delta => !isCommit(item))
const commits = (events: readonly FlatEvent[]): Commit[] => decodeAll(events).filter(isCommit)
const last = (events: readonly FlatEvent[]): Fact | undefined => facts(events).at(-1)

// ── Short forms ──

const runStart: FlatEvent = { event_type: 'run_start', thread_id: 't', run_id: 'ru-1' }
const step = (message_id: string): FlatEvent => ({ event_type: 'step_start', message_id })
const stepEnd: FlatEvent = { event_type: 'step_end' }
const text = (delta: string): FlatEvent => ({ event_type: 'text_delta', delta })
const reasoning = (delta: string): FlatEvent => ({ event_type: 'reasoning_delta', delta })
const start = (id: string): FlatEvent => ({ event_type: 'tool_call_start', id, name: 'sum' })
const args = (id: string, args_delta: string): FlatEvent => ({ event_type: 'tool_call_delta', id, args_delta })
const ready = (id: string, input: Json = {}): FlatEvent => ({
  event_type: 'tool_call_ready',
  id,
  name: 'sum',
  arguments: input,
})
const done = (id: string, result: Partial<ToolResult> = {}, message_id = ''): FlatEvent => ({
  event_type: 'tool_call_done',
  id,
  message_id,
  result: { tool_name: 'sum', status: 'success', data: 3, message: null, ...result },
  outcome: 'succeeded',
})
const resumed = (target_id: string, result: Json): FlatEvent => ({ event_type: 'tool_call_resumed', target_id, result })
const cancel = (id: string): FlatEvent => ({
  event_type: 'tool_call_cancel',
  id,
  name: 'sum',
  reason: 'connection reset',
})
const reset: FlatEvent = { event_type: 'stream_reset', reason: 'idle stall' }
const inference: FlatEvent = { event_type: 'inference_complete', model: 'm-large', duration_ms: 5 }
const finish = (termination: TerminationReason, result?: Json): FlatEvent => ({
  event_type: 'run_finish',
  thread_id: 't',
  run_id: 'ru-1',
  ...(result === undefined ? {} : { result }),
  termination,
})
const naturalEnd = finish({ type: 'natural_end' })
const suspended = finish({ type: 'suspended' })
const pending = (id: string, suspension?: SuspendTicket): FlatEvent =>
  done(id, { status: 'pending', data: null, ...(suspension ? { suspension } : {}) })
const ticket = (id: string, resume_mode: SuspendTicket['resume_mode'] = 'replay_tool_call'): SuspendTicket => ({
  suspension: {
    id,
    action: 'tool:PermissionConfirm',
    message: 'run rm?',
    parameters: { path: '/x' },
    response_schema: {},
  },
  pending: { id, name: 'permission_confirm', arguments: {} },
  resume_mode,
})

// ── A run as the 0.6 runtime emits it ──

const RUN = lines(`
{"event_type":"run_start","thread_id":"th-7","run_id":"ru-1","identity":{"thread_id":"th-7","run_id":"ru-1","agent_id":"helper","origin":"user"}}
{"event_type":"step_start","message_id":"0197-aa"}
{"event_type":"reasoning_delta","delta":"a "}
{"event_type":"reasoning_delta","delta":"sum"}
{"event_type":"text_delta","delta":"Let me "}
{"event_type":"text_delta","delta":"see."}
{"event_type":"tool_call_start","id":"c1","name":"sum"}
{"event_type":"tool_call_delta","id":"c1","args_delta":"{\\"b\\":2,"}
{"event_type":"tool_call_delta","id":"c1","args_delta":"\\"a\\":1}"}
{"event_type":"tool_call_start","id":"c2","name":"rm"}
{"event_type":"tool_call_delta","id":"c2","args_delta":"{\\"path\\":\\"/x\\"}"}
{"event_type":"tool_call_ready","id":"c1","name":"sum","arguments":{"a":1,"b":2}}
{"event_type":"tool_call_ready","id":"c2","name":"rm","arguments":{"path":"/x"}}
{"event_type":"inference_complete","model":"m-large","usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17},"duration_ms":840}
{"event_type":"tool_call_stream_delta","id":"c1","name":"sum","delta":"working"}
{"event_type":"tool_call_done","id":"c1","message_id":"","result":{"tool_name":"sum","status":"success","data":{"total":3},"message":null},"outcome":"succeeded"}
{"event_type":"tool_call_done","id":"c2","message_id":"","result":{"tool_name":"rm","status":"error","data":null,"message":"no such file"},"outcome":"failed"}
{"event_type":"state_snapshot","snapshot":{"extensions":{},"revision":4}}
{"event_type":"step_end"}
{"event_type":"step_start","message_id":"0197-bb"}
{"event_type":"text_delta","delta":"3"}
{"event_type":"inference_complete","model":"m-large","duration_ms":20}
{"event_type":"state_snapshot","snapshot":{"extensions":{},"revision":5}}
{"event_type":"step_end"}
{"event_type":"state_snapshot","snapshot":{"extensions":{},"revision":6}}
{"event_type":"run_finish","thread_id":"th-7","run_id":"ru-1","result":{"response":"3","status":"done","status_reason":"natural"},"termination":{"type":"natural_end"}}
`)

test('a whole run gives its facts', () => {
  expect(facts(RUN)).toEqual([
    { type: 'run_started' },
    { type: 'assistant_thinking', message_id: '0197-aa' },
    { type: 'assistant_message', id: '0197-aa', content: [{ type: 'text', text: 'Let me see.' }] },
    {
      type: 'tool_call',
      id: 'c1',
      name: 'sum',
      input: { a: 1, b: 2 },
      disposition: 'executed',
      message_id: '0197-aa',
      raw_input: '{"b":2,"a":1}',
    },
    { type: 'tool_call', id: 'c2', name: 'rm', input: { path: '/x' }, disposition: 'executed', message_id: '0197-aa' },
    {
      type: 'inference_completed',
      model: 'm-large',
      usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
      duration_ms: 840,
    },
    {
      type: 'tool_result',
      id: 'c1',
      content: [{ type: 'text', text: '{"total":3}' }],
      is_error: false,
      message_id: 'tool-c1',
      name: 'sum',
      data: { total: 3 },
    },
    {
      type: 'tool_result',
      id: 'c2',
      content: [{ type: 'text', text: 'no such file' }],
      is_error: true,
      message_id: 'tool-c2',
      name: 'rm',
    },
    { type: 'state_snapshot', snapshot: { extensions: {}, revision: 4 } },
    { type: 'step_ended', message_id: '0197-aa' },
    { type: 'assistant_message', id: '0197-bb', content: [{ type: 'text', text: '3' }] },
    { type: 'inference_completed', model: 'm-large', duration_ms: 20 },
    { type: 'state_snapshot', snapshot: { extensions: {}, revision: 5 } },
    { type: 'step_ended', message_id: '0197-bb' },
    { type: 'state_snapshot', snapshot: { extensions: {}, revision: 6 } },
    { type: 'run_finished', exhausted: false, cause: { type: 'natural_end' } },
  ])
})

test('a whole run gives its fragments, each with its message and where it starts', () => {
  expect(deltas(RUN)).toEqual([
    { type: 'step_started', message_id: '0197-aa' },
    { type: 'reasoning_delta', delta: 'a ', message_id: '0197-aa', offset: 0 },
    { type: 'reasoning_delta', delta: 'sum', message_id: '0197-aa', offset: 2 },
    { type: 'text_delta', delta: 'Let me ', message_id: '0197-aa', offset: 0 },
    { type: 'text_delta', delta: 'see.', message_id: '0197-aa', offset: 7 },
    { type: 'tool_call_delta', id: 'c1', name: 'sum', args_delta: '', message_id: '0197-aa', offset: 0 },
    { type: 'tool_call_delta', id: 'c1', name: 'sum', args_delta: '{"b":2,', message_id: '0197-aa', offset: 0 },
    { type: 'tool_call_delta', id: 'c1', name: 'sum', args_delta: '"a":1}', message_id: '0197-aa', offset: 7 },
    { type: 'tool_call_delta', id: 'c2', name: 'rm', args_delta: '', message_id: '0197-aa', offset: 0 },
    { type: 'tool_call_delta', id: 'c2', name: 'rm', args_delta: '{"path":"/x"}', message_id: '0197-aa', offset: 0 },
    { type: 'tool_output_delta', id: 'c1', name: 'sum', delta: 'working' },
    { type: 'step_started', message_id: '0197-bb' },
    { type: 'text_delta', delta: '3', message_id: '0197-bb', offset: 0 },
  ])
})

test('the run says who it is and which model wrote it', () => {
  const { push, run } = decoder()
  expect(run()).toEqual({})
  for (const event of RUN) push(event)
  expect(run()).toEqual({
    threadId: 'th-7',
    runId: 'ru-1',
    identity: { thread_id: 'th-7', run_id: 'ru-1', agent_id: 'helper', origin: 'user' },
    agentId: 'helper',
    model: 'm-large',
  })
})

test('a parent run is known, too', () => {
  const { push, run } = decoder()
  push({ event_type: 'run_start', thread_id: 't', run_id: 'r', parent_run_id: 'p' })
  expect(run()).toEqual({ threadId: 't', runId: 'r', parentRunId: 'p' })
})

// ── Commits ──

test('the first event, whatever it is, starts the run', () => {
  expect(decoder().push(runStart)).toEqual([{ messages: [], state: { type: 'running' } }])
  expect(decoder().push(step('m'))).toEqual([
    { messages: [], state: { type: 'running' } },
    { type: 'step_started', message_id: 'm' },
  ])
})

test('a message is committed before its tool says anything', () => {
  const { push } = decoder()
  for (const event of [runStart, step('m'), text('a'), ready('c'), inference]) push(event)
  const items = push({ event_type: 'tool_call_stream_delta', id: 'c', name: 'sum', delta: 'x' })
  expect(items).toMatchObject([
    { messages: [{ id: 'm' }], inference: { duration_ms: 5 } },
    { type: 'tool_output_delta' },
  ])
})

test.each<[string, FlatEvent]>([
  ['a result of its call', done('c')],
  ['what its tool prints', { event_type: 'tool_call_stream_delta', id: 'c', name: 'sum', delta: 'x' }],
  ['the next step', step('n')],
  ['a snapshot of messages', { event_type: 'messages_snapshot', messages: [] }],
  ['an end', naturalEnd],
  ['a suspension', suspended],
  ['an error', { event_type: 'error', message: 'x' }],
])('%s commits the message', (_, event) => {
  const messages = (items: readonly (Delta | Commit)[]): string[] =>
    items.filter(isCommit).flatMap((commit) => commit.messages.map(({ id }) => id))
  const { push } = decoder()
  expect([runStart, step('m'), text('a'), ready('c')].flatMap((one) => messages(push(one)))).toEqual([])
  expect(messages(push(event))).toContain('m')
})

test('a result of an earlier call leaves the message that is being written', () => {
  const events = [
    runStart,
    step('m'),
    ready('c'),
    stepEnd,
    step('n'),
    text('a'),
    done('c'),
    text('b'),
    stepEnd,
    naturalEnd,
  ]
  expect(facts(events).filter(({ type }) => type === 'assistant_message')).toEqual([
    { type: 'assistant_message', id: 'n', content: [{ type: 'text', text: 'ab' }] },
  ])
})

test('ids are derived where the wire gives none', () => {
  const events = [runStart, step(''), text('a'), stepEnd, text('b'), step(''), step(''), text('c'), naturalEnd]
  expect(facts(events)).toMatchObject([
    { type: 'run_started' },
    { id: 'ru-1-assistant-0' },
    { type: 'step_ended' },
    { id: 'ru-1-assistant-1' },
    { type: 'step_ended' },
    { id: 'ru-1-assistant-2' },
    { type: 'step_ended' },
    { type: 'run_finished' },
  ])
  expect(deltas(events).map((delta) => ('message_id' in delta ? delta.message_id : ''))).toEqual(
    ['0', '0', '1', '2', '2'].map((n) => `ru-1-assistant-${n}`),
  )
})

test('a message id of a result is kept', () => {
  expect(facts([runStart, step('m'), ready('c'), done('c', {}, 'msg-9')])).toContainEqual(
    expect.objectContaining({ type: 'tool_result', id: 'c', message_id: 'msg-9' }),
  )
})

test('what is sealed with a thought stays with it', () => {
  const sealed: FlatEvent = { event_type: 'reasoning_encrypted_value', encrypted_value: 'b64' }
  expect(
    commits([runStart, step('m'), reasoning('hm'), sealed, stepEnd, naturalEnd]).flatMap((one) => one.messages),
  ).toEqual([{ id: 'm', role: 'assistant', content: [{ type: 'thinking', text: 'hm', encrypted: 'b64' }] }])
})

test('a step that says nothing is no message, and its model call counts', () => {
  expect(facts([runStart, step('m'), inference, stepEnd, naturalEnd]).map(({ type }) => type)).toEqual([
    'run_started',
    'inference_completed',
    'run_finished',
  ])
})

test('activities and state pass through, patches with their number', () => {
  const activity = { message_id: 'c1', activity_type: 'progress' }
  const patch = [{ op: 'replace', path: '/p', value: 1 }] as const
  expect(
    decodeAll([
      runStart,
      { event_type: 'activity_snapshot', ...activity, content: { p: 0 }, replace: true },
      { event_type: 'activity_delta', ...activity, patch },
      { event_type: 'activity_delta', ...activity, activity_type: 'other', patch },
      { event_type: 'activity_delta', ...activity, patch },
      { event_type: 'state_snapshot', snapshot: null },
      { event_type: 'state_delta', delta: patch },
      { event_type: 'state_delta', delta: patch },
      suspended,
      runStart,
      { event_type: 'state_delta', delta: patch },
      { event_type: 'activity_delta', ...activity, patch },
    ]),
  ).toMatchObject([
    { messages: [] },
    { messages: [], activities: [{ ...activity, content: { p: 0 }, replace: true }] },
    { type: 'activity_delta', ...activity, patch, revision: 0 },
    { type: 'activity_delta', activity_type: 'other', revision: 0 },
    { type: 'activity_delta', revision: 1 },
    { messages: [], snapshot: null },
    { type: 'state_delta', delta: patch, revision: 0 },
    { type: 'state_delta', revision: 1 },
    { state: { type: 'awaiting' } },
    { state: { type: 'running' } },
    { type: 'state_delta', revision: 0 },
    { type: 'activity_delta', revision: 0 },
    { state: { type: 'ended' } },
  ])
})

// ── Arguments ──

const call = (events: readonly FlatEvent[]): Fact | undefined => facts(events).find(({ type }) => type === 'tool_call')

test.each<[string, Json, string | undefined]>([
  ['{"a":1}', { a: 1 }, undefined],
  ['', { a: 1 }, undefined],
  ['', null, undefined],
  ['{ "a": 1 }\n', { a: 1 }, '{ "a": 1 }\n'],
  ['{"b":2,"a":1}', { a: 1, b: 2 }, '{"b":2,"a":1}'],
  ['{"n":12345678901234567890}', JSON.parse('{"n":12345678901234567890}') as Json, '{"n":12345678901234567890}'],
  ['{"a":2}', { a: 1 }, undefined],
  ['{"a":', { a: 1 }, undefined],
  ['{"a":', null, '{"a":'],
])('streamed %j and ready %j keep the raw text %j', (streamed, input, raw) => {
  const events = [runStart, step('m'), start('c'), args('c', streamed), ready('c', input), done('c'), naturalEnd]
  expect(call(events)).toEqual({
    type: 'tool_call',
    id: 'c',
    name: 'sum',
    input,
    disposition: 'executed',
    message_id: 'm',
    ...(raw === undefined ? {} : { raw_input: raw }),
  })
})

test('a call that was run although no event said it was ready has what was streamed', () => {
  expect(call([runStart, step('m'), start('c'), args('c', '{"a":1}'), done('c')])).toMatchObject({ input: { a: 1 } })
})

test('each of two states is told, and activities are told together', () => {
  const state = (snapshot: number): FlatEvent => ({ event_type: 'state_snapshot', snapshot })
  const activity = (message_id: string): FlatEvent => ({
    event_type: 'activity_snapshot',
    message_id,
    activity_type: 'progress',
    content: 1,
  })
  const events = [
    runStart,
    step('m'),
    text('a'),
    inference,
    activity('x'),
    state(1),
    activity('y'),
    state(2),
    stepEnd,
    naturalEnd,
  ]
  expect(commits(events).slice(1, 3)).toMatchObject([
    { messages: [{ id: 'm' }], snapshot: 1, activities: [{ message_id: 'x' }, { message_id: 'y' }] },
    { messages: [], snapshot: 2 },
  ])
})

test('a call whose arguments never came is cancelled, not made', () => {
  const events = [
    runStart,
    step('m'),
    text('a'),
    start('c'),
    args('c', '{"a'),
    start('d'),
    ready('d'),
    inference,
    done('d'),
    naturalEnd,
  ]
  expect(facts(events).filter(({ type }) => type === 'tool_call')).toMatchObject([{ id: 'd' }])
  expect(deltas(events)).toContainEqual(expect.objectContaining({ type: 'tool_call_cancelled', id: 'c' }))
})

test('after the model call that holds for an end, too', () => {
  const events = [runStart, step('m'), text('a'), start('c'), inference, naturalEnd]
  expect(facts(events).some(({ type }) => type === 'tool_call')).toBe(false)
})

// ── Cancel and reset ──

test('a cancelled call leaves the message', () => {
  const events = [
    runStart,
    step('m'),
    text('a'),
    start('c'),
    args('c', '{"a'),
    cancel('c'),
    args('c', '":1}'),
    stepEnd,
    naturalEnd,
  ]
  expect(facts(events).filter(({ type }) => type === 'tool_call')).toEqual([])
  expect(deltas(events).slice(-1)).toEqual([
    { type: 'tool_call_cancelled', id: 'c', name: 'sum', reason: 'connection reset' },
  ])
})

test('a call that was made and is cancelled has a result that says so, once', () => {
  const events = [
    runStart,
    step('m'),
    ready('c'),
    inference,
    { event_type: 'state_snapshot', snapshot: 1 } as const,
    cancel('c'),
    cancel('c'),
    naturalEnd,
  ]
  expect(facts(events).filter(({ type }) => type === 'tool_result')).toEqual([
    {
      type: 'tool_result',
      id: 'c',
      content: [{ type: 'text', text: 'connection reset' }],
      is_error: true,
      message_id: 'tool-c',
      name: 'sum',
      cancelled: true,
    },
  ])
})

test('after a reset only the new attempt is committed, under the id of the step', () => {
  const events = [
    runStart,
    step('m'),
    reasoning('r'),
    text('wrong'),
    start('c'),
    reset,
    text('right'),
    stepEnd,
    naturalEnd,
  ]
  expect(commits(events).flatMap((one) => one.messages)).toEqual([
    { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'right' }] },
  ])
})

test('fragments after a reset are a new item', () => {
  const events = [runStart, step('m'), text('wrong'), reset, text('ri'), text('ght')]
  expect(deltas(events).slice(2)).toEqual([
    { type: 'stream_reset', reason: 'idle stall' },
    { type: 'text_delta', delta: 'ri', offset: 0 },
    { type: 'text_delta', delta: 'ght', offset: 2 },
  ])
})

test('a reset after the model call or the step still takes the message back', () => {
  const texts = (events: FlatEvent[]): unknown[] =>
    commits(events).flatMap((one) => one.messages.flatMap((m) => m.content))
  for (const border of [inference, stepEnd]) {
    expect(texts([runStart, step('m'), text('wrong'), border, reset, text('right'), stepEnd, naturalEnd])).toEqual([
      { type: 'text', text: 'right' },
    ])
  }
})

test('usage survives a reset, and counts once when it is told again', () => {
  const calls = (events: FlatEvent[]): number =>
    facts(events).filter(({ type }) => type === 'inference_completed').length
  expect(calls([runStart, step('m'), text('a'), inference, reset, stepEnd, naturalEnd])).toBe(1)
  expect(calls([runStart, step('m'), text('a'), inference, reset, text('b'), inference, stepEnd, naturalEnd])).toBe(1)
  const other: FlatEvent = { ...inference, duration_ms: 6 }
  expect(calls([runStart, step('m'), text('a'), inference, reset, text('b'), other, stepEnd, naturalEnd])).toBe(2)
})

test('model calls that are told again after the thread count once, also where two are alike', () => {
  const calls = (events: FlatEvent[]): number =>
    facts(events).filter(({ type }) => type === 'inference_completed').length
  const opening = [runStart, snapshot, inference, inference]
  expect(calls([...opening, naturalEnd])).toBe(2)
  expect(calls([...opening, step('n'), text('b'), inference, stepEnd, naturalEnd])).toBe(3)
  const before = [runStart, step('m'), text('a'), inference, stepEnd]
  expect(calls([...before, ...opening, naturalEnd])).toBe(2)
  expect(calls([...before, ...opening, ...opening, step('n'), text('b'), inference, stepEnd, naturalEnd])).toBe(3)
  expect(calls([...before, suspended, ...opening, naturalEnd])).toBe(3)
})

test('a step that is told once more after its message was committed changes nothing', () => {
  const before = [
    runStart,
    step('m'),
    text('a'),
    start('c'),
    args('c', '{}'),
    ready('c'),
    start('d'),
    ready('d'),
    inference,
    done('c'),
  ]
  const again = [text('a'), start('c'), ready('c'), start('d'), ready('d'), inference, done('c')]
  const after = [done('d'), stepEnd, naturalEnd]
  expect(decodeAll([...before, reset, ...again, ...after])).toEqual(decodeAll([...before, ...after]))
  expect(decodeAll([...before, step('m'), ...again, ...after])).toEqual(decodeAll([...before, ...after]))
})

const written = (events: FlatEvent[]): unknown[] =>
  facts(events).flatMap((fact): unknown[] => {
    if (fact.type === 'assistant_message') return fact.content.map((block) => (block.type === 'text' ? block.text : ''))
    return fact.type === 'tool_call' || fact.type === 'tool_result' ? [`${fact.type} ${fact.id}`] : []
  })

test('a reset outside a step takes back only what came outside it', () => {
  const before = [runStart, step('m'), text('a'), stepEnd, text('b'), reset]
  expect(written([...before, text('c'), naturalEnd])).toEqual(['a', 'c'])
  expect(written([...before, ready('d'), done('d'), naturalEnd])).toEqual(['a', 'tool_call d', 'tool_result d'])
})

test('a message without a step may be told once more, too', () => {
  const events = [text('a'), ready('c'), done('c')]
  const expected = ['a', 'tool_call c', 'tool_result c']
  expect(written([runStart, ...events, reset, ...events, naturalEnd])).toEqual(expected)
  expect(written([runStart, step('m'), stepEnd, ...events, reset, ...events, naturalEnd])).toEqual(expected)
})

test('what a committed message did not say is not lost when it comes after a reset', () => {
  const before = [runStart, step('m'), text('ab'), ready('c'), done('c'), reset]
  const known = ['ab', 'tool_call c', 'tool_result c']
  expect(written([...before, text('a'), text('b'), text('c'), naturalEnd])).toEqual([...known, 'c'])
  expect(written([...before, text('a'), text('bc'), text('d'), naturalEnd])).toEqual([...known, 'cd'])
  expect(written([...before, text('a'), text('x'), text('y'), naturalEnd])).toEqual([...known, 'axy'])
  expect(written([...before, text('ab'), ready('c'), ready('d'), done('d'), naturalEnd])).toEqual([
    ...known,
    'tool_call d',
    'tool_result d',
  ])
})

test('one result answers one call, where two of the same id are open', () => {
  const events = [runStart, step('m'), ready('c'), stepEnd, step('n'), ready('c'), stepEnd, done('c')]
  const results = facts([...events, naturalEnd]).filter(({ type }) => type === 'tool_result')
  expect(results).toMatchObject([
    { id: 'c', is_error: false },
    { id: 'c', is_error: true },
  ])
})

test('a step that begins again drops what it had', () => {
  expect(
    commits([runStart, step('m'), text('a'), step('m'), text('b'), naturalEnd]).flatMap((one) => one.messages),
  ).toEqual([{ id: 'm', role: 'assistant', content: [{ type: 'text', text: 'b' }] }])
})

test('repeated starts, readies and results are nothing', () => {
  const once = [runStart, step('m'), start('c'), ready('c'), done('c'), stepEnd, naturalEnd]
  const twice = [
    runStart,
    runStart,
    step('m'),
    step('m'),
    start('c'),
    start('c'),
    ready('c'),
    ready('c'),
    done('c'),
    done('c'),
    stepEnd,
    stepEnd,
    naturalEnd,
    naturalEnd,
  ]
  expect(decodeAll(twice)).toEqual(decodeAll(once))
})

test('ids of calls may repeat from step to step, and without a step between', () => {
  const ids = (events: FlatEvent[]): unknown[] =>
    facts(events).flatMap((fact) => (fact.type === 'tool_result' ? [fact.content, fact.is_error] : []))
  for (const border of [step('n'), stepEnd]) {
    const events = [
      runStart,
      step('m'),
      ready('c'),
      done('c'),
      border,
      ready('c'),
      done('c', { data: 'two' }),
      naturalEnd,
    ]
    expect(ids(events)).toEqual([[{ type: 'text', text: '3' }], false, [{ type: 'text', text: 'two' }], false])
  }
})

test('late fragments of arguments that are known are ignored', () => {
  expect(deltas([runStart, step('m'), start('c'), ready('c'), args('c', '{}')])).toHaveLength(2)
})

test('a ready of a call that was committed is nothing', () => {
  const state: FlatEvent = { event_type: 'state_snapshot', snapshot: 1 }
  const once = [runStart, step('m'), ready('c'), inference, state]
  expect(decodeAll([...once, ready('c'), done('c'), naturalEnd])).toEqual(decodeAll([...once, done('c'), naturalEnd]))
})

// ── Results ──

test('a result is there at once while other calls are open, and with what ends its step otherwise', () => {
  const { push } = decoder()
  for (const event of [runStart, step('m'), ready('c'), ready('d'), inference]) push(event)
  expect(push(done('c'))).toMatchObject([{ messages: [{ id: 'm' }] }, { messages: [{ id: 'tool-c' }] }])
  expect(push(done('d'))).toEqual([])
  expect(push({ event_type: 'state_snapshot', snapshot: 1 })).toEqual([])
  expect(push(stepEnd)).toMatchObject([{ messages: [{ id: 'tool-d' }], snapshot: 1 }])
})

const result = (events: readonly FlatEvent[]): Fact | undefined =>
  facts(events).find(({ type }) => type === 'tool_result')

test.each<[Partial<ToolResult>, object]>([
  [{ data: 'plain' }, { content: [{ type: 'text', text: 'plain' }], is_error: false }],
  [{ data: [1] }, { content: [{ type: 'text', text: '[1]' }], is_error: false, data: [1] }],
  [{ data: null }, { content: [], is_error: false }],
  [
    { data: 1, message: 'one' },
    { content: [{ type: 'text', text: 'one' }], is_error: false, data: 1 },
  ],
  [
    { data: 'x', message: 'y' },
    { content: [{ type: 'text', text: 'y' }], is_error: false, data: 'x' },
  ],
  [
    { status: 'error', data: null, message: 'no' },
    { content: [{ type: 'text', text: 'no' }], is_error: true },
  ],
  [
    { status: 'error', data: { error: { code: 'E' } }, message: '[E] no' },
    { content: [{ type: 'text', text: '[E] no' }], is_error: true, data: { error: { code: 'E' } } },
  ],
  [
    { status: 'error', data: null, message: 'no', metadata: { rejected: true } },
    { content: [{ type: 'text', text: 'no' }], is_error: true, denied: true },
  ],
  [
    { status: 'error', data: null, message: 'no', metadata: { cancelled: true } },
    { content: [{ type: 'text', text: 'no' }], is_error: true, cancelled: true },
  ],
  [
    { data: null, message: 'see', metadata: { content: [{ type: 'image', source: { type: 'url', url: 'u' } }] } },
    { content: [{ type: 'image', source: { type: 'url', url: 'u' } }], is_error: false },
  ],
])('the result %j is %j', (given, expected) => {
  const events = [runStart, step('m'), ready('c'), done('c', given)]
  expect(result(events)).toEqual({ type: 'tool_result', id: 'c', name: 'sum', message_id: 'tool-c', ...expected })
})

test.each<[Json, object]>([
  ['yes', { content: [{ type: 'text', text: 'yes' }], is_error: false }],
  [{ n: 1 }, { content: [{ type: 'text', text: '{"n":1}' }], is_error: false, data: { n: 1 } }],
  [null, { content: [], is_error: false }],
  [{ error: 'boom' }, { content: [{ type: 'text', text: 'boom' }], is_error: true }],
  [
    { error: 'boom', data: 1 },
    { content: [{ type: 'text', text: 'boom' }], is_error: true, data: 1 },
  ],
  [{ error: 42 }, { content: [{ type: 'text', text: '{"error":42}' }], is_error: false, data: { error: 42 } }],
  [{ approved: false }, { content: [], is_error: true, denied: true }],
  [
    { approved: false, reason: 'no' },
    { content: [{ type: 'text', text: 'no' }], is_error: true, denied: true },
  ],
  [
    { approved: false, policy: 'never' },
    { content: [], is_error: true, denied: true, data: { approved: false, policy: 'never' } },
  ],
  [
    { data: { n: 1 }, metadata: { server: 'x' } },
    { content: [{ type: 'text', text: '{"n":1}' }], is_error: false, data: { n: 1 } },
  ],
])('resumed with %j is %j', (given, expected) => {
  const events = [runStart, step('m'), ready('c'), pending('c'), suspended, runStart, resumed('c', given)]
  expect(result(events)).toEqual({ type: 'tool_result', id: 'c', name: 'sum', message_id: 'tool-c', ...expected })
})

test('a result whose call nobody made is not lost', () => {
  expect(result([runStart, done('c')])).toMatchObject({ id: 'c', content: [{ text: '3' }] })
})

test('a repeated result of a resumed call is nothing', () => {
  const once = [runStart, step('m'), ready('c'), pending('c'), suspended, runStart, resumed('c', 1)]
  expect(decodeAll([...once, resumed('c', 1), naturalEnd])).toEqual(decodeAll([...once, naturalEnd]))
})

// ── Suspension ──

test.each<[SuspendTicket | undefined, Pending]>([
  [undefined, { tool_use_id: 'c', kind: 'client' }],
  [
    ticket('perm-c'),
    {
      tool_use_id: 'c',
      kind: 'approval',
      approval_id: 'perm-c',
      message: 'run rm?',
      parameters: { path: '/x' },
      response_schema: {},
    },
  ],
  [
    ticket('c', 'use_decision_as_tool_result'),
    { tool_use_id: 'c', kind: 'client', message: 'run rm?', parameters: { path: '/x' }, response_schema: {} },
  ],
  [
    ticket('', 'pass_decision_to_tool'),
    { tool_use_id: 'c', kind: 'approval', message: 'run rm?', parameters: { path: '/x' }, response_schema: {} },
  ],
])('the ticket %j is pending as %j', (given, expected) => {
  expect(last([runStart, step('m'), ready('c'), inference, pending('c', given), stepEnd, suspended])).toEqual({
    type: 'awaiting',
    pending_tool_use_id: 'c',
    pending: [expected],
  })
})

test('a call that is pending is so from its fact on', () => {
  const events = [
    runStart,
    step('m'),
    ready('c'),
    ready('d'),
    inference,
    pending('c'),
    pending('d', ticket('p')),
    stepEnd,
    suspended,
  ]
  expect(facts(events).filter(({ type }) => type === 'tool_call')).toMatchObject([
    { id: 'c', disposition: 'pending_client' },
    { id: 'd', disposition: 'pending_builtin' },
  ])
})

test('a message whose call waits is complete', () => {
  const events = [runStart, step('m'), text('a'), ready('c'), pending('c'), text('b'), suspended]
  expect(facts(events).filter(({ type }) => type === 'assistant_message')).toMatchObject([
    { id: 'm', content: [{ text: 'a' }] },
    { id: 'ru-1-assistant-1', content: [{ text: 'b' }] },
  ])
})

test('a run goes on after awaiting, and what is still pending stays so', () => {
  const events = [
    runStart,
    step('m'),
    ready('c'),
    ready('d'),
    inference,
    pending('c'),
    pending('d'),
    { event_type: 'state_snapshot', snapshot: 1 } as const,
    stepEnd,
    suspended,
    runStart,
    resumed('c', 1),
    suspended,
    runStart,
    resumed('d', 2),
    step('n'),
    text('done'),
    inference,
    stepEnd,
    naturalEnd,
  ]
  expect(facts(events).map((fact) => ('id' in fact ? `${fact.type} ${fact.id}` : fact.type))).toEqual([
    'run_started',
    'tool_call c',
    'tool_call d',
    'inference_completed',
    'state_snapshot',
    'awaiting',
    'run_started',
    'tool_result c',
    'awaiting',
    'run_started',
    'tool_result d',
    'step_ended',
    'assistant_message n',
    'inference_completed',
    'step_ended',
    'run_finished',
  ])
  expect(facts(events).filter(({ type }) => type === 'awaiting')).toMatchObject([
    { pending: [{ tool_use_id: 'c' }, { tool_use_id: 'd' }] },
    { pending: [{ tool_use_id: 'd' }] },
  ])
})

test('while it awaits, only a start is heard, and an end of the stream is no failure', () => {
  const awaiting = [runStart, step('m'), ready('c'), pending('c'), suspended]
  expect(decodeAll([...awaiting, text('x'), done('c'), naturalEnd])).toEqual(decodeAll(awaiting))
  expect(last(awaiting)).toMatchObject({ type: 'awaiting' })
})

test('a suspension of nothing known is awaiting nobody', () => {
  expect(last([runStart, suspended])).toEqual({ type: 'awaiting', pending_tool_use_id: null, pending: [] })
})

// ── Ends ──

test.each<[TerminationReason, EndCause, boolean]>([
  [{ type: 'natural_end' }, { type: 'natural_end' }, false],
  [{ type: 'behavior_requested' }, { type: 'behavior_requested' }, false],
  [{ type: 'stopped', value: { code: 'max_rounds' } }, { type: 'max_steps' }, true],
  [{ type: 'stopped', value: { code: 'length' } }, { type: 'max_steps', code: 'length' }, true],
  [
    { type: 'stopped', value: { code: 'timeout', detail: '60 s' } },
    { type: 'stopped', code: 'timeout', detail: '60 s' },
    false,
  ],
  [{ type: 'cancelled' }, { type: 'cancelled' }, false],
  [{ type: 'blocked', value: 'policy' }, { type: 'blocked', reason: 'policy' }, false],
])('%j ends with the cause %j', (termination, cause, exhausted) => {
  expect(last([runStart, finish(termination)])).toEqual({ type: 'run_finished', exhausted, cause })
})

test('only the output of a result is the result of the run', () => {
  expect(last([runStart, finish({ type: 'natural_end' }, { response: 'a', output: { n: 1 } })])).toMatchObject({
    result: { n: 1 },
  })
  expect(last([runStart, finish({ type: 'natural_end' }, { response: 'a' })])).not.toHaveProperty('result')
})

test.each<[FlatEvent, object]>([
  [finish({ type: 'error', value: 'boom' }), { code: 'error', message: 'boom' }],
  [finish({ type: 'error', value: 'boom' }, { code: 'rate_limited' }), { code: 'rate_limited', message: 'boom' }],
  [finish({ type: 'error', value: 'boom' }, { code: 7 }), { code: 'error', message: 'boom' }],
  [
    { event_type: 'error', message: 'boom' },
    { code: 'error', message: 'boom' },
  ],
  [
    { event_type: 'error', message: 'boom', code: 'E1' },
    { code: 'E1', message: 'boom' },
  ],
])('%j fails with %j', (event, failure) => {
  expect(last([runStart, event])).toEqual({ type: 'run_failed', ...failure })
})

test('after its end a run says nothing more', () => {
  const over = [runStart, text('a'), naturalEnd]
  expect(decodeAll([...over, text('b'), runStart, text('c'), naturalEnd])).toEqual(decodeAll(over))
})

test('a stream that just stops fails, with what it had and an error result for each open call', () => {
  const events = [
    runStart,
    step('m'),
    text('a'),
    ready('c'),
    inference,
    done('c'),
    step('n'),
    text('half'),
    ready('d'),
    start('e'),
    args('e', '{"a'),
  ]
  expect(facts(events).slice(-7)).toEqual([
    { type: 'assistant_message', id: 'n', content: [{ type: 'text', text: 'half' }] },
    { type: 'tool_call', id: 'd', name: 'sum', input: {}, disposition: 'executed', message_id: 'n' },
    {
      type: 'tool_call',
      id: 'e',
      name: 'sum',
      input: null,
      disposition: 'executed',
      message_id: 'n',
      raw_input: '{"a',
    },
    expect.objectContaining({ type: 'tool_result', id: 'd', is_error: true }),
    expect.objectContaining({ type: 'tool_result', id: 'e', is_error: true }),
    { type: 'step_ended', message_id: 'n' },
    { type: 'run_failed', code: 'stream_truncated', message: 'the stream ended before its end' },
  ])
})

test('nothing at all is a failure', () => {
  expect(facts([])).toMatchObject([{ type: 'run_started' }, { type: 'run_failed', code: 'stream_truncated' }])
})

test.each<TerminationReason>([{ type: 'natural_end' }, { type: 'suspended' }, { type: 'cancelled' }])(
  'an end without a start is a failure that keeps what came, even %j',
  (termination) => {
    const all = facts([step('m'), text('a tail'), stepEnd, finish(termination)])
    expect(all).toMatchObject([
      { type: 'run_started' },
      { type: 'assistant_message', content: [{ text: 'a tail' }] },
      { type: 'step_ended' },
      { type: 'run_failed', code: 'stream_truncated', message: 'the run ended without a run_start' },
    ])
  },
)

test('a run that failed without a start keeps its reason', () => {
  expect(last([finish({ type: 'error', value: 'boom' })])).toMatchObject({ type: 'run_failed', message: 'boom' })
})

test('a start that comes late is a start', () => {
  expect(last([step('m'), text('a'), runStart, stepEnd, naturalEnd])).toMatchObject({ type: 'run_finished' })
})

test('a source that failed says why', () => {
  const { push, end } = decoder()
  push(runStart)
  expect(end({ code: 'stream_failed', message: 'socket' })).toEqual([
    {
      messages: [],
      state: { type: 'ended', cause: { type: 'error', failure: { code: 'stream_failed', message: 'socket' } } },
    },
  ])
  expect(end()).toEqual([])
})

test('a fault inside a step keeps the message and closes its calls', () => {
  const events = [runStart, step('m'), text('a'), ready('c'), inference, finish({ type: 'error', value: 'boom' })]
  expect(facts(events).map(({ type }) => type)).toEqual([
    'run_started',
    'assistant_message',
    'tool_call',
    'inference_completed',
    'tool_result',
    'step_ended',
    'run_failed',
  ])
})

test('a run cancelled in mid-message keeps its text', () => {
  expect(facts([runStart, step('m'), text('half'), finish({ type: 'cancelled' })])).toMatchObject([
    { type: 'run_started' },
    { type: 'assistant_message', content: [{ text: 'half' }] },
    { type: 'step_ended' },
    { type: 'run_finished', cause: { type: 'cancelled' } },
  ])
})

// ── Snapshots of messages ──

const snapshot: FlatEvent = {
  event_type: 'messages_snapshot',
  messages: [
    { id: 'u', role: 'user', content: [{ type: 'text', text: 'hi' }] },
    {
      id: 'a',
      role: 'assistant',
      content: [],
      tool_calls: [
        { id: 'c', name: 'sum', arguments: 1 },
        { id: 'd', name: 'sum', arguments: 2 },
      ],
    },
    { id: 'x', role: 'tool', content: [], tool_call_id: 'c' },
  ],
}

test('a snapshot of messages gives no facts', () => {
  expect(facts([runStart, snapshot, suspended]).map(({ type }) => type)).toEqual(['run_started', 'awaiting'])
})

test('calls of a snapshot get their results, and an end closes those that did not', () => {
  const ids = (events: FlatEvent[]): unknown[] =>
    facts(events).flatMap((fact) => (fact.type === 'tool_result' ? [fact.id, fact.is_error] : []))
  expect(ids([runStart, snapshot, done('d'), naturalEnd])).toEqual(['d', false])
  expect(ids([runStart, snapshot, naturalEnd])).toEqual(['d', true])
})

test('derived ids do not repeat those of a snapshot', () => {
  expect(last([runStart, snapshot, text('a'), stepEnd, step('z')])).toBeDefined()
  expect(facts([runStart, snapshot, text('a'), naturalEnd])).toContainEqual(
    expect.objectContaining({ type: 'assistant_message', id: 'ru-1-assistant-1' }),
  )
})

// ── In general ──

const anyEvent: fc.Arbitrary<FlatEvent> = fc.constantFrom(
  runStart, step('m'), step('n'), step(''), stepEnd, text('a'), text(''), reasoning('b'), start('c'), start('d'), args('c', '{'),
  args('d', '1'), ready('c', { a: 1 }), ready('d'), done('c'), done('d', { status: 'error', message: 'no' }), pending('c'),
  pending('d', ticket('p')), resumed('c', { error: 'e' }), cancel('c'), cancel('d'), reset, inference, snapshot, suspended,
  { event_type: 'tool_call_stream_delta', id: 'c', name: 'sum', delta: 'x' }, { event_type: 'state_snapshot', snapshot: 1 },
) // prettier-ignore
const anyEnd: fc.Arbitrary<FlatEvent[]> = fc.constantFrom([], [naturalEnd], [finish({ type: 'error', value: 'x' })])
const anyStream = fc.tuple(fc.array(anyEvent, { maxLength: 40 }), anyEnd).map(([events, end]) => [...events, ...end])

test('any stream gives a thread that adds up', () => {
  fc.assert(
    fc.property(anyStream, (events) => {
      const all = facts(events)
      const results = new Set(all.flatMap((fact) => (fact.type === 'tool_result' ? [fact.id] : [])))
      const open = all.filter((fact) => fact.type === 'tool_call' && !results.has(fact.id))
      const ends = all.flatMap(({ type }, index) => (type === 'run_finished' || type === 'run_failed' ? [index] : []))
      const awaits = all.at(-1)?.type === 'awaiting'
      expect(ends).toEqual(awaits ? [] : [all.length - 1])
      expect(awaits ? [] : open).toEqual([])
    }),
    { seed: 1, numRuns: 3000 },
  )
})

test('a stream without a terminal never succeeds', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      expect(last(events)?.type).not.toBe('run_finished')
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('a stream without a start never succeeds, nor waits', () => {
  fc.assert(
    fc.property(anyStream, (events) => {
      expect(last(events.filter(({ event_type }) => event_type !== 'run_start'))?.type).toBe('run_failed')
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('committed text is what the fragments of its message say, where they say it in order', () => {
  fc.assert(
    fc.property(anyStream, (events) => {
      const shown = new Map<string, string>()
      const wrong: unknown[] = []
      for (const item of decodeAll(events)) {
        if (isCommit(item)) {
          for (const { id, content } of item.messages) {
            const block = content.find((one) => one.type === 'text')
            if (block && block.text !== (shown.get(id) ?? block.text)) wrong.push(item)
          }
        } else if (item.type === 'stream_reset') shown.clear()
        else if (item.type === 'text_delta' && item.message_id !== undefined) {
          const before = shown.get(item.message_id) ?? ''
          if (item.offset !== before.length) wrong.push(item)
          shown.set(item.message_id, before + item.delta)
        }
      }
      expect(wrong).toEqual([])
    }),
    { seed: 1, numRuns: 2000 },
  )
})

test('a stream reads the same however its bytes are cut', () => {
  const bytes = new TextEncoder().encode(RUN.map((event, seq) => framing.text(event, seq)).join(''))
  const expected = read(RUN)
  fc.assert(
    fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 20 }), (places) => {
      const bounds = [...places.toSorted((a, b) => a - b), bytes.length]
      const cutter = createSseReader()
      const { push, end } = reader(sse)
      const messages = [
        ...bounds.flatMap((to, index) => cutter.push(bytes.slice(bounds[index - 1] ?? 0, to))),
        ...cutter.end(),
      ]
      expect([...messages.flatMap((message) => push(message)), ...end()]).toEqual(expected)
    }),
    { seed: 1, numRuns: 200 },
  )
})

test('a stream that is cut anywhere fails', () => {
  const whole = RUN.map((event, seq) => framing.text(event, seq)).join('')
  fc.assert(
    fc.property(fc.nat({ max: whole.length - 3 }), (length) => {
      const cutter = createSseReader()
      const { push, end } = reader(sse)
      const messages = [...cutter.push(whole.slice(0, length)), ...cutter.end()]
      const events = [...messages.flatMap((message) => push(message)), ...end()]
      expect(events.at(-1)).toMatchObject({ tier: 'fact', event: { type: 'run_failed' } })
    }),
    { seed: 1, numRuns: 500 },
  )
})
