import type { Json, SuspendTicket, TerminationReason, ToolResult } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createReducer, reduce } from '../src/reduce.ts'
import { ended, type View } from '../src/view.ts'
import { parseFlat } from '../src/parse.ts'
import type { FlatEvent } from '../src/wire.ts'

// ── Short forms ──

const runStart: FlatEvent = { event_type: 'run_start', thread_id: 't', run_id: 'r' }
const step = (message_id: string): FlatEvent => ({ event_type: 'step_start', message_id })
const stepEnd: FlatEvent = { event_type: 'step_end' }
const text = (delta: string): FlatEvent => ({ event_type: 'text_delta', delta })
const reasoning = (delta: string): FlatEvent => ({ event_type: 'reasoning_delta', delta })
const start = (id: string, name = 'sum'): FlatEvent => ({ event_type: 'tool_call_start', id, name })
const args = (id: string, args_delta: string): FlatEvent => ({ event_type: 'tool_call_delta', id, args_delta })
const ready = (id: string, input: Json = {}): FlatEvent => ({
  event_type: 'tool_call_ready',
  id,
  name: 'sum',
  arguments: input,
})
const done = (id: string, result: Partial<ToolResult> = {}): FlatEvent => ({
  event_type: 'tool_call_done',
  id,
  message_id: '',
  result: { tool_name: 'sum', status: 'success', data: 3, message: null, ...result },
  outcome: 'succeeded',
})
const resumed = (target_id: string, result: Json): FlatEvent => ({ event_type: 'tool_call_resumed', target_id, result })
const printed = (id: string, delta: string): FlatEvent => ({
  event_type: 'tool_call_stream_delta',
  id,
  name: 'sum',
  delta,
})
const cancel = (id: string): FlatEvent => ({ event_type: 'tool_call_cancel', id, name: 'sum', reason: 'reset' })
const reset: FlatEvent = { event_type: 'stream_reset', reason: 'idle stall' }
const finish = (termination: TerminationReason, result?: Json): FlatEvent => ({
  event_type: 'run_finish',
  thread_id: 't',
  run_id: 'r',
  ...(result === undefined ? {} : { result }),
  termination,
})
const naturalEnd = finish({ type: 'natural_end' })
const suspended = finish({ type: 'suspended' })
const ticket: SuspendTicket = {
  suspension: { id: 'perm-c1', action: 'tool:PermissionConfirm', message: 'run rm?' },
  pending: { id: 'perm-c1', name: 'permission_confirm', arguments: {} },
  resume_mode: 'replay_tool_call',
}
const pending = (id: string): FlatEvent => done(id, { status: 'pending', data: null, suspension: ticket })

const turns = (...events: FlatEvent[]): View['turns'] => reduce([runStart, ...events]).turns
const texts = (...events: FlatEvent[]): string[] => turns(...events).map((turn) => turn.text)
const calls = (...events: FlatEvent[]): View['turns'][number]['calls'] => turns(...events).flatMap((turn) => turn.calls)

// ── The run ──

test('nothing seen is idle, something seen is running', () => {
  expect(reduce([])).toEqual({ status: 'idle', response: '', before: [], turns: [], activities: [], inference: [] })
  expect(reduce([runStart])).toMatchObject({ run: { threadId: 't', runId: 'r' }, status: 'running' })
})

test('a stream that just stops is running and never success', () => {
  const view = reduce([runStart, step('m'), text('all of it'), stepEnd])
  expect(view.status).toBe('running')
  expect(ended(view)).toBe(false)
})

test.each<[TerminationReason, View['status']]>([
  [{ type: 'natural_end' }, 'finished'],
  [{ type: 'behavior_requested' }, 'finished'],
  [{ type: 'stopped', value: { code: 'max_rounds' } }, 'finished'],
  [{ type: 'cancelled' }, 'finished'],
  [{ type: 'blocked', value: 'policy' }, 'finished'],
  [{ type: 'suspended' }, 'suspended'],
  [{ type: 'error', value: 'provider error' }, 'failed'],
])('the termination %j is %s', (termination, status) => {
  const view = reduce([runStart, finish(termination)])
  expect(view).toMatchObject({ status, termination })
  expect(ended(view)).toBe(true)
})

test('a run that failed says why, and its code where the result has one', () => {
  const termination: TerminationReason = { type: 'error', value: 'boom' }
  expect(reduce([runStart, finish(termination)]).error).toEqual({ message: 'boom' })
  expect(reduce([runStart, finish(termination, { code: 'E1' })]).error).toEqual({ message: 'boom', code: 'E1' })
})

test.each<TerminationReason>([{ type: 'natural_end' }, { type: 'suspended' }, { type: 'cancelled' }])(
  'an end without a start is a failure, even %j',
  (termination) => {
    const view = reduce([step('m'), text('a tail'), stepEnd, finish(termination, { response: 'a tail' })])
    expect(view).toMatchObject({ status: 'failed', error: { code: 'stream_truncated' }, turns: [{ text: 'a tail' }] })
    expect(view).not.toHaveProperty('termination')
  },
)

test('a run that failed without a start keeps its reason', () => {
  expect(reduce([finish({ type: 'error', value: 'boom' })])).toMatchObject({
    status: 'failed',
    error: { message: 'boom' },
  })
})

test('an error event ends as failed', () => {
  expect(reduce([runStart, text('a'), { event_type: 'error', message: 'boom', code: 'E1' }])).toMatchObject({
    status: 'failed',
    error: { message: 'boom', code: 'E1' },
    turns: [{ text: 'a', open: false }],
  })
})

test('the response is the text of the result', () => {
  const view = reduce([runStart, finish({ type: 'natural_end' }, { response: '3', status: 'done' })])
  expect(view).toMatchObject({ response: '3', result: { response: '3', status: 'done' } })
})

test('after an end everything but a start is ignored', () => {
  const over = [runStart, step('m'), text('a'), naturalEnd]
  const late = [text('b'), step('n'), ready('c'), reset, finish({ type: 'error', value: 'x' }), stepEnd]
  expect(reduce([...over, ...late])).toEqual(reduce(over))
})

test('a start after a suspension goes on with the same view', () => {
  const view = reduce([
    runStart,
    step('m'),
    text('may I?'),
    ready('c1'),
    pending('c1'),
    stepEnd,
    suspended,
    runStart,
    resumed('c1', { ok: 1 }),
    step('n'),
    text('done'),
    stepEnd,
    naturalEnd,
  ])
  expect(view.status).toBe('finished')
  expect(view.turns.map((turn) => turn.text)).toEqual(['may I?', 'done'])
  expect(view.turns[0]?.calls).toMatchObject([{ id: 'c1', status: 'succeeded' }])
})

test('a repeated start is nothing, with nothing between and in mid-run', () => {
  const once = [runStart, step('m'), text('a')]
  expect(reduce([runStart, ...once])).toEqual(reduce(once))
  expect(reduce([...once, runStart, text('b')])).toEqual(reduce([...once, text('b')]))
})

test('another run continues below the first', () => {
  const second: FlatEvent = { event_type: 'run_start', thread_id: 't', run_id: 'r2', parent_run_id: 'r' }
  const view = reduce([runStart, text('a'), naturalEnd, second, reset, text('b')])
  expect(view).toMatchObject({ run: { runId: 'r2', parentRunId: 'r' }, status: 'running' })
  expect(view.turns.map((turn) => turn.text)).toEqual(['a', 'b'])
  expect(view.termination).toBeUndefined()
})

// ── Turns ──

test('fragments are joined, text and reasoning apart', () => {
  expect(
    turns(step('m'), reasoning('hm'), text('Let '), reasoning('m'), text('me'), {
      event_type: 'reasoning_encrypted_value',
      encrypted_value: 'b64',
    }),
  ).toEqual([
    { role: 'assistant', id: 'm', text: 'Let me', reasoning: 'hmm', encryptedReasoning: 'b64', calls: [], open: true },
  ])
})

test('a step start ends an open step and begins a turn', () => {
  expect(turns(step('m'), text('a'), step('n'), text('b'))).toMatchObject([
    { id: 'm', text: 'a', open: false },
    { id: 'n', text: 'b', open: true },
  ])
})

test('what comes without an open step is a turn of its own', () => {
  expect(turns(text('a'), text('b'))).toMatchObject([{ id: '', text: 'ab' }])
  expect(turns(step('m'), text('a'), stepEnd, reasoning('b'))).toMatchObject([{ id: 'm' }, { id: '', reasoning: 'b' }])
  expect(turns(step('m'), text('a'), stepEnd, start('c'))).toMatchObject([
    { id: 'm' },
    { id: '', calls: [{ id: 'c' }] },
  ])
})

test('turns in which nothing was shown are left out', () => {
  expect(turns(step('l'), step('m'), text('a'), stepEnd, step('n'), stepEnd, step('o'))).toMatchObject([{ id: 'm' }])
})

test('a repeated step start is nothing', () => {
  expect(turns(step('m'), step('m'), text('a'))).toEqual(turns(step('m'), text('a')))
})

test('a message that begins again replaces what it had', () => {
  const again = [step('m'), text('b'), ready('c')]
  expect(turns(step('m'), text('a'), ready('x'), ...again)).toEqual(turns(...again))
  expect(turns(step('m'), text('a'), stepEnd, ...again)).toEqual(turns(...again))
})

test('steps without ids are never the same', () => {
  expect(texts(step(''), text('a'), step(''), text('b'))).toEqual(['a', 'b'])
})

// ── Reset ──

test('a reset drops text, reasoning, calls and results since the step start', () => {
  const dropped = [reasoning('r'), text('a'), start('c'), args('c', '{'), ready('d'), done('d')]
  expect(turns(step('l'), text('kept'), step('m'), ...dropped, reset)).toMatchObject([{ id: 'l', text: 'kept' }])
  expect(turns(step('m'), ...dropped, reset, text('b'))).toEqual(turns(step('m'), text('b')))
})

test('what follows a reset belongs to the same step, also after its end', () => {
  expect(turns(step('m'), text('a'), stepEnd, reset, text('b'))).toMatchObject([{ id: 'm', text: 'b', open: true }])
})

test('a step start after a reset replaces the empty turn', () => {
  expect(turns(step('m'), text('a'), reset, step('n'), text('b'))).toMatchObject([{ id: 'n', text: 'b' }])
})

test('late fragments of a call that was reset are ignored', () => {
  expect(turns(step('m'), start('c'), args('c', '{"a"'), reset, args('c', ':1}'), printed('c', 'x'))).toEqual([])
})

test('a reset leaves the older call of the same id', () => {
  const events = [step('m'), ready('c', 1), stepEnd, step('n'), ready('c', 2), reset, done('c')]
  expect(calls(...events)).toMatchObject([{ id: 'c', arguments: 1, status: 'succeeded' }])
})

test('a reset before anything is nothing', () => {
  expect(turns(reset, text('a'))).toMatchObject([{ text: 'a' }])
})

// ── Calls ──

test('a call is streaming, then ready, then has its result', () => {
  const { push, view } = createReducer()
  const now = (): unknown => view().turns[0]?.calls[0]
  for (const event of [runStart, step('m'), start('c'), args('c', '{"a":'), args('c', ' 1}')]) push(event)
  expect(now()).toEqual({ id: 'c', name: 'sum', argumentsText: '{"a": 1}', status: 'streaming', output: '' })
  push(ready('c', { a: 1 }))
  expect(now()).toMatchObject({ argumentsText: '{"a":1}', arguments: { a: 1 }, status: 'ready' })
  push(printed('c', 'work'))
  push(printed('c', 'ing'))
  expect(now()).toMatchObject({ status: 'ready', output: 'working' })
  push(done('c', { data: { total: 3 } }))
  expect(now()).toEqual({
    id: 'c',
    name: 'sum',
    argumentsText: '{"a":1}',
    arguments: { a: 1 },
    status: 'succeeded',
    output: '',
    result: { text: '{"total":3}', data: { total: 3 } },
  })
})

test('ready is the truth of arguments', () => {
  expect(calls(step('m'), start('c'), args('c', '{"a":2'), ready('c', { a: 1 }))).toMatchObject([
    { argumentsText: '{"a":1}', arguments: { a: 1 } },
  ])
})

test('a ready makes the call that was not announced', () => {
  expect(turns(step('m'), ready('c', null))).toMatchObject([
    { calls: [{ id: 'c', name: 'sum', arguments: null, status: 'ready' }] },
  ])
})

test('a repeated start, ready or result of a turn is nothing', () => {
  const once = [step('m'), start('c'), args('c', '{}'), ready('c'), done('c')]
  const twice = [
    step('m'),
    start('c'),
    start('c'),
    args('c', '{}'),
    ready('c'),
    ready('c'),
    done('c'),
    done('c'),
    ready('c'),
    start('c'),
  ]
  expect(turns(...twice)).toEqual(turns(...once))
})

test('the same id in another turn is another call, and results go to the newest', () => {
  expect(
    calls(
      step('m'),
      ready('c', 1),
      done('c', { data: 'one' }),
      step('n'),
      start('c'),
      ready('c', 2),
      done('c', { data: 'two' }),
    ),
  ).toMatchObject([
    { arguments: 1, result: { text: 'one' } },
    { arguments: 2, result: { text: 'two' } },
  ])
})

test('between steps a ready is about the call that waits', () => {
  expect(turns(step('m'), ready('c', 1), stepEnd, ready('c', 1), done('c'))).toMatchObject([
    { id: 'm', calls: [{ status: 'succeeded' }] },
  ])
})

test('between later steps, too', () => {
  const waiting = [step('m'), ready('c', 1), pending('c'), stepEnd, step('n'), text('b'), stepEnd]
  expect(turns(...waiting, ready('c', 1))).toEqual(turns(...waiting))
  expect(calls(...waiting, resumed('c', 1), ready('c', 2))).toHaveLength(2)
})

test('a result finds its call after the step and in later steps', () => {
  expect(calls(step('m'), ready('c'), stepEnd, step('n'), text('b'), done('c'))).toMatchObject([
    { status: 'succeeded' },
  ])
})

test('a value that is a string stands beside a text that says something else in blocks', () => {
  const result = { data: 'value', metadata: { content: [{ type: 'text', text: 'shown' }] } }
  expect(calls(step('m'), ready('c'), pending('c'), resumed('c', result))).toMatchObject([
    { result: { text: 'shown', data: 'value' } },
  ])
})

test('a result without its call is not lost', () => {
  expect(calls(done('c', { data: 'found' }))).toMatchObject([{ id: 'c', name: 'sum', result: { text: 'found' } }])
  expect(calls(resumed('c', 'found'))).toMatchObject([{ id: 'c', name: '', result: { text: 'found' } }])
})

test.each<[Partial<ToolResult>, unknown]>([
  [{ data: 'plain' }, { status: 'succeeded', result: { text: 'plain' } }],
  [{ data: null }, { status: 'succeeded', result: { text: '' } }],
  [
    { data: { n: 1 }, message: 'one' },
    { status: 'succeeded', result: { text: 'one', data: { n: 1 } } },
  ],
  [
    { status: 'error', data: null, message: 'no' },
    { status: 'failed', result: { text: 'no' } },
  ],
  [{ status: 'error', message: 'no', data: null, metadata: { rejected: true } }, { status: 'denied' }],
  [{ status: 'error', message: 'no', data: null, metadata: { cancelled: true } }, { status: 'cancelled' }],
  [
    {
      data: null,
      metadata: {
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', source: { type: 'url', url: 'u' } },
        ],
      },
    },
    { status: 'succeeded', result: { text: 'see', media: [{ type: 'image', source: { type: 'url', url: 'u' } }] } },
  ],
])('the result %j is %j', (result, expected) => {
  expect(calls(step('m'), ready('c'), done('c', result))).toMatchObject([expected as object])
})

test.each<[Json, unknown]>([
  ['yes', { status: 'succeeded', result: { text: 'yes' } }],
  [{ approved: true }, { status: 'succeeded', result: { text: '{"approved":true}', data: { approved: true } } }],
  [{ error: 'boom' }, { status: 'failed', result: { text: 'boom' } }],
  [{ error: 'boom', approved: false }, { status: 'failed' }],
  [{ error: 42 }, { status: 'succeeded' }],
  [
    { approved: false, reason: 'no' },
    { status: 'denied', result: { text: 'no' } },
  ],
  [null, { status: 'succeeded', result: { text: '' } }],
])('resumed with %j is %j', (result, expected) => {
  expect(calls(step('m'), ready('c'), pending('c'), resumed('c', result))).toMatchObject([expected as object])
})

test('a suspended call has its ticket until it has a result', () => {
  const before = [step('m'), ready('c'), printed('c', 'asking'), pending('c')]
  expect(calls(...before)).toMatchObject([{ status: 'suspended', output: '', ticket }])
  const [after] = calls(...before, resumed('c', 1))
  expect(after).toMatchObject({ status: 'succeeded' })
  expect(after).not.toHaveProperty('ticket')
})

test('a result is not suspended again', () => {
  expect(calls(step('m'), ready('c'), done('c'), pending('c'))).toMatchObject([{ status: 'succeeded' }])
})

test('what a tool printed is gone with its result and with the run', () => {
  expect(calls(step('m'), ready('c'), done('c'), printed('c', 'late'))).toMatchObject([{ output: '' }])
  expect(calls(step('m'), ready('c'), printed('c', 'x'), naturalEnd)).toMatchObject([{ output: '' }])
  const before = reduce([runStart, snapshot(HISTORY), printed('c2', 'x'), naturalEnd]).before.at(-1)
  expect(before).toMatchObject({ calls: [{ id: 'c1' }, { id: 'c2', output: '' }] })
})

test('a cancelled call that was still written goes, with its late fragments', () => {
  expect(turns(step('m'), start('c'), args('c', '{"a'), cancel('c'), args('c', '":1}'), cancel('c'))).toEqual([])
})

test('a cancelled call that was made stays and is not pending', () => {
  expect(calls(step('m'), ready('c'), printed('c', 'x'), cancel('c'), printed('c', 'y'))).toMatchObject([
    { status: 'cancelled', output: '' },
  ])
  const [call] = calls(step('m'), ready('c'), pending('c'), cancel('c'))
  expect(call).not.toHaveProperty('ticket')
})

test('a call that has its result is not cancelled', () => {
  expect(calls(step('m'), ready('c'), done('c'), cancel('c'))).toMatchObject([{ status: 'succeeded' }])
})

test('fragments of a call that was never announced are ignored', () => {
  expect(turns(step('m'), args('c', '{}'), printed('c', 'x'), cancel('c'))).toEqual([])
})

// ── State, activities, usage ──

test('a result whose call is unknown stays when the open step is reset', () => {
  const shown = turns(step('m'), text('Hel'), resumed('old', 'yes'), done('older'), reset, text('Hello'))
  expect(shown.map((turn) => [turn.id, turn.text, turn.calls.map((call) => call.id)])).toEqual([
    ['', '', ['old', 'older']],
    ['m', 'Hello', []],
  ])
})

const state = (snapshot: Json): FlatEvent => ({ event_type: 'state_snapshot', snapshot })
const statePatch = (path: string, value: Json): FlatEvent => ({
  event_type: 'state_delta',
  delta: [{ op: 'replace', path, value }],
})

test('the state is its snapshot, patched', () => {
  expect(reduce([runStart, state({ n: 1 }), statePatch('/n', 2)]).state).toEqual({ n: 2 })
  expect(reduce([runStart, state({ n: 1 }), statePatch('/n', 2), state(null)]).state).toBeNull()
})

test('a patch that does not apply changes nothing', () => {
  expect(reduce([runStart, state({ n: 1 }), statePatch('/m', 2)]).state).toEqual({ n: 1 })
  expect(reduce([runStart, statePatch('/m', 2)])).not.toHaveProperty('state')
})

test('without a snapshot the state begins as an empty object', () => {
  expect(reduce([{ event_type: 'state_delta', delta: [{ op: 'add', path: '/n', value: 1 }] }]).state).toEqual({ n: 1 })
})

const activity = (content: Json, replace?: boolean, activity_type = 'progress'): FlatEvent => ({
  event_type: 'activity_snapshot',
  message_id: 'c1',
  activity_type,
  content,
  ...(replace === undefined ? {} : { replace }),
})
const activityPatch = (path: string, value: Json): FlatEvent => ({
  event_type: 'activity_delta',
  message_id: 'c1',
  activity_type: 'progress',
  patch: [{ op: 'replace', path, value }],
})

test('activities are replaced and patched, each kind by itself', () => {
  const events = [
    runStart,
    activity({ p: 0 }),
    activity('x', undefined, 'log'),
    activityPatch('/p', 0.5),
    activityPatch('/q', 1),
  ]
  expect(reduce(events).activities).toEqual([
    { message_id: 'c1', activity_type: 'progress', content: { p: 0.5 } },
    { message_id: 'c1', activity_type: 'log', content: 'x' },
  ])
  expect(reduce([...events, activity({ p: 1 }, true)]).activities[0]?.content).toEqual({ p: 1 })
})

test('a snapshot that does not replace keeps the one that is there', () => {
  expect(reduce([runStart, activity(1, false), activity(2, false)]).activities).toMatchObject([{ content: 1 }])
})

test('a patch of an activity that is not there is ignored', () => {
  expect(reduce([runStart, activityPatch('/p', 1)]).activities).toEqual([])
})

const inference = (duration_ms: number): FlatEvent => ({
  event_type: 'inference_complete',
  model: 'm-large',
  usage: { prompt_tokens: 12 },
  duration_ms,
})

test('every model call counts once, also one of a step that shows nothing', () => {
  const view = reduce([
    runStart,
    step('m'),
    text('a'),
    inference(1),
    inference(1),
    stepEnd,
    step('n'),
    inference(2),
    stepEnd,
    step('o'),
  ])
  expect(view.inference.map((one) => one.duration_ms)).toEqual([1, 2])
  expect(view.turns).toHaveLength(1)
})

test('a reset leaves the usage of the step, which may be told again', () => {
  expect(reduce([runStart, step('m'), text('a'), inference(1), reset, text('b'), inference(1)]).inference).toHaveLength(
    1,
  )
})

test('model calls that are told again after the thread are those of the segment, also where two are alike', () => {
  const told = { event_type: 'messages_snapshot', messages: [] } as const
  const count = (events: readonly FlatEvent[]): number => reduce(events).inference.length
  const opening = [runStart, told, inference(1), inference(1)]
  expect(count(opening)).toBe(2)
  expect(count([...opening, step('m'), text('a'), inference(1)])).toBe(3)
  // Coming back, to a server that tells them and to one that does not.
  const before = [runStart, step('m'), text('a'), inference(1), stepEnd, step('n'), text('b'), inference(1)]
  expect(count([...before, ...opening])).toBe(2)
  expect(count([...before, ...opening, ...opening, step('o'), text('c'), inference(2)])).toBe(3)
  expect(count([...before, runStart, told, step('o'), text('c'), inference(2)])).toBe(3)
  // Those of the segment before stay.
  expect(count([...before, suspended, ...opening])).toBe(4)
})

// ── Snapshots of messages ──

const snapshot = (messages: unknown[]): FlatEvent => {
  const event = parseFlat({ event_type: 'messages_snapshot', messages })
  if (!event) throw new Error('not an event')
  return event
}

const HISTORY = [
  { id: 's', role: 'system', content: [{ type: 'text', text: 'be brief' }] },
  { role: 'system', content: 'hidden', visibility: 'internal' },
  {
    id: 'u',
    role: 'user',
    content: [
      { type: 'text', text: '1+2?' },
      { type: 'image', source: { type: 'url', url: 'u' } },
    ],
  },
  {
    id: 'a',
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Let me ' },
      { type: 'text', text: 'see' },
    ],
    tool_calls: [
      { id: 'c1', name: 'sum', arguments: { a: 1 } },
      { id: 'c2', name: 'sum', arguments: {} },
    ],
  },
  { id: 'x', role: 'tool', content: [{ type: 'text', text: '3' }], tool_call_id: 'c1', data: { total: 3 } },
]

test('a snapshot is the thread before the run, with turns, calls and results', () => {
  expect(reduce([runStart, snapshot(HISTORY)]).before).toEqual([
    { role: 'system', id: 's', text: 'be brief', content: [{ type: 'text', text: 'be brief' }] },
    {
      role: 'user',
      id: 'u',
      text: '1+2?',
      content: [
        { type: 'text', text: '1+2?' },
        { type: 'image', source: { type: 'url', url: 'u' } },
      ],
    },
    {
      role: 'assistant',
      id: 'a',
      text: 'Let me see',
      reasoning: 'hm',
      open: false,
      calls: [
        {
          id: 'c1',
          name: 'sum',
          argumentsText: '{"a":1}',
          arguments: { a: 1 },
          status: 'succeeded',
          output: '',
          result: { text: '3', data: { total: 3 } },
        },
        { id: 'c2', name: 'sum', argumentsText: '{}', arguments: {}, status: 'ready', output: '' },
      ],
    },
  ])
})

test('calls and results inside the content count, and in both places only once', () => {
  const history = [
    {
      id: 'a',
      role: 'Assistant',
      content: [{ type: 'tool_use', id: 'c', name: 'sum', input: 1 }],
      tool_calls: [{ id: 'c', name: 'sum', arguments: 1 }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'no', is_error: true }] },
  ]
  expect(reduce([snapshot(history)]).before).toMatchObject([
    { id: 'a', calls: [{ id: 'c', status: 'failed', result: { text: 'no' } }] },
  ])
})

test.each([
  [{ is_error: true }, 'failed'],
  [{ is_error: true, denied: true }, 'denied'],
  [{ is_error: true, cancelled: true }, 'cancelled'],
])('a stored result with %j is %s', (marks, status) => {
  const history = [HISTORY[3], { role: 'tool', content: 'no', tool_call_id: 'c1', ...marks }]
  expect(reduce([snapshot(history)]).before).toMatchObject([{ calls: [{ id: 'c1', status }, { id: 'c2' }] }])
})

test('a stored result whose call is missing is not lost', () => {
  expect(reduce([snapshot([HISTORY[4]])]).before).toMatchObject([{ calls: [{ id: 'c1', result: { text: '3' } }] }])
})

test('later events find the calls of the snapshot', () => {
  const view = reduce([runStart, snapshot(HISTORY), done('c2'), step('m'), text('b')])
  expect(view.before.at(-1)).toMatchObject({ calls: [{ id: 'c1' }, { id: 'c2', status: 'succeeded' }] })
  expect(view.turns).toMatchObject([{ id: 'm', text: 'b' }])
})

test('a snapshot replaces the one before and takes in the turns that it names', () => {
  const events = [runStart, snapshot(HISTORY.slice(0, 1)), step('a'), text('Let me see'), stepEnd, step('b'), text('b')]
  const view = reduce([...events, snapshot(HISTORY)])
  expect(view.before.map(({ id }) => id)).toEqual(['s', 'u', 'a'])
  expect(view.turns.map(({ id }) => id)).toEqual(['b'])
})

test('what follows a snapshot that holds the open turn is a turn of its own', () => {
  const view = reduce([runStart, step('a'), text('Let me see'), snapshot(HISTORY), text('b'), stepEnd])
  expect(view.turns).toMatchObject([{ id: '', text: 'b' }])
})

// ── In general ──

test('parts that did not change are the same objects', () => {
  const { push, view } = createReducer()
  for (const event of [runStart, step('m'), text('a'), stepEnd, step('n'), text('b')]) push(event)
  const first = view()
  expect(view()).toBe(first)
  push(text('c'))
  const second = view()
  expect(second.turns[0]).toBe(first.turns[0])
  expect(second.turns[1]).not.toBe(first.turns[1])
  expect(first.turns[1]?.text).toBe('b')
})

const anyEvent: fc.Arbitrary<FlatEvent> = fc.constantFrom(
  runStart, step('m'), step('n'), step(''), stepEnd, text('a'), reasoning('b'), start('c'), start('d'), args('c', '{'), args('d', '1'),
  ready('c', { a: 1 }), ready('d'), done('c'), done('d', { status: 'error', message: 'no' }), pending('c'), resumed('c', { error: 'e' }),
  printed('c', 'x'), cancel('c'), cancel('d'), reset, suspended, naturalEnd, { event_type: 'error', message: 'x' }, state({ n: 1 }),
  statePatch('/n', 2), statePatch('/m', 2), activity({ p: 1 }), activity(1, false), activityPatch('/p', 2), inference(1),
  snapshot(HISTORY), snapshot([]),
) // prettier-ignore

test('takes events in any order, never throws, and views stay as they were given', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      const { push, view } = createReducer()
      const given: { view: View; json: string }[] = []
      for (const event of events) {
        push(event)
        given.push({ view: view(), json: JSON.stringify(view()) })
      }
      expect(view()).toEqual(reduce(events))
      for (const { view: earlier, json } of given) expect(JSON.stringify(earlier)).toBe(json)
      for (const turn of view().turns) {
        expect(turn.text + turn.reasoning !== '' || turn.calls.length > 0).toBe(true)
        for (const call of turn.calls) expect(call.result === undefined || call.output === '').toBe(true)
      }
    }),
    { seed: 1, numRuns: 4000 },
  )
})

test('only terminals end, whatever else comes', () => {
  const notTerminal = anyEvent.filter(({ event_type }) => event_type !== 'run_finish' && event_type !== 'error')
  fc.assert(
    fc.property(fc.array(notTerminal, { maxLength: 40 }), (events) => {
      expect(ended(reduce(events))).toBe(false)
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('without a start nothing ends well, whatever else comes', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      const unstarted = events.filter(({ event_type }) => event_type !== 'run_start')
      expect(['idle', 'running', 'failed']).toContain(reduce(unstarted).status)
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('half a million fragments in one message take no time', () => {
  const { push, view } = createReducer()
  for (const event of [runStart, step('m'), start('c')]) push(event)
  for (let count = 0; count < 250_000; count++) {
    push(text('word '))
    push(args('c', 'word '))
  }
  // Copied for each fragment, this would be 150 GB.
  expect(view().turns[0]?.text).toHaveLength(1_250_000)
}, 3000)
