import {
  type AgentEvent,
  type ContentBlock,
  type Delta,
  type Fact,
  type Message,
  type RunWriter,
  type RunWriterOptions,
  runWriter,
  type Standing,
  type Written,
} from '@factwire/core'
import { expect, test } from 'vitest'

const create = (options: Partial<RunWriterOptions> = {}): RunWriter => runWriter({ runId: 'ru', ...options })

const eventsOf = (...written: Written[]): AgentEvent[] => written.flatMap(({ events }) => [...events])

const factsOf = (...written: Written[]): Fact[] =>
  eventsOf(...written).flatMap((event) => (event.tier === 'fact' ? [event.event] : []))

const deltasOf = (...written: Written[]): Delta[] =>
  eventsOf(...written).flatMap((event) => (event.tier === 'delta' ? [event.event] : []))

const outline = (...written: Written[]): string[] => eventsOf(...written).map(({ event }) => event.type)

const callIds = (...written: Written[]): string[] =>
  factsOf(...written).flatMap((fact) => (fact.type === 'tool_call' ? [fact.id] : []))

const toolUses = (message: Message | undefined): ContentBlock[] =>
  message?.content.filter((block) => block.type === 'tool_use') ?? []

// ── A run ──

test('writes a run with a tool, every event in its place', () => {
  const writer = create()
  const written = [
    writer.reasoning('They ask.'),
    writer.text('Let me '),
    writer.text('look.'),
    writer.toolCall('c1', 'read', '{"path":'),
    writer.toolCall('c1', 'read', '"x"}'),
    writer.commit({ inference: { model: 'm', duration_ms: 5 } }),
    writer.toolOutput('c1', 'reading'),
    writer.toolResult('c1', 'ok', { data: { lines: 1 } }),
    writer.text('Done.'),
    writer.end({ type: 'natural_end' }, { response: 'Done.' }),
  ]
  const first = { message_id: 'ru-assistant-0' }
  const second = { message_id: 'ru-assistant-1' }
  expect(eventsOf(...written).map(({ event }) => event)).toStrictEqual([
    { type: 'run_started' },
    { type: 'step_started', ...first },
    { type: 'reasoning_delta', delta: 'They ask.', ...first, offset: 0 },
    { type: 'text_delta', delta: 'Let me ', ...first, offset: 0 },
    { type: 'text_delta', delta: 'look.', ...first, offset: 7 },
    { type: 'tool_call_delta', id: 'c1', name: 'read', args_delta: '{"path":', ...first, offset: 0 },
    { type: 'tool_call_delta', id: 'c1', name: 'read', args_delta: '"x"}', ...first, offset: 8 },
    { type: 'assistant_thinking', ...first },
    { type: 'assistant_message', id: 'ru-assistant-0', content: [{ type: 'text', text: 'Let me look.' }] },
    { type: 'tool_call', id: 'c1', name: 'read', input: { path: 'x' }, disposition: 'executed', ...first },
    { type: 'inference_completed', model: 'm', duration_ms: 5 },
    { type: 'tool_output_delta', id: 'c1', name: 'read', delta: 'reading' },
    {
      type: 'tool_result',
      id: 'c1',
      content: [{ type: 'text', text: 'ok' }],
      is_error: false,
      message_id: 'tool-c1',
      name: 'read',
      data: { lines: 1 },
    },
    { type: 'step_ended', ...first },
    { type: 'step_started', ...second },
    { type: 'text_delta', delta: 'Done.', ...second, offset: 0 },
    { type: 'assistant_message', id: 'ru-assistant-1', content: [{ type: 'text', text: 'Done.' }] },
    { type: 'step_ended', ...second },
    { type: 'run_finished', exhausted: false, cause: { type: 'natural_end' }, result: { response: 'Done.' } },
  ])
  expect(writer.messages().map(({ id }) => id)).toStrictEqual(['ru-assistant-0', 'tool-c1', 'ru-assistant-1'])
  expect(writer.standing().openCalls).toStrictEqual([])
})

test.each<[name: string, call: (writer: RunWriter) => Written]>([
  ['text', (writer) => writer.text('a')],
  ['reasoning', (writer) => writer.reasoning('a')],
  ['toolCall', (writer) => writer.toolCall('c', 'f')],
  ['commit', (writer) => writer.commit()],
  ['await', (writer) => writer.await([])],
  ['state', (writer) => writer.state([])],
  ['activity', (writer) => writer.activity('a', 'PLAN', {})],
  ['end', (writer) => writer.end()],
])('starts the run with %s when that comes first', (_, call) => {
  expect(outline(call(create()))[0]).toBe('run_started')
})

test('starts the run once', () => {
  const writer = create()
  expect(outline(writer.commit(), writer.text('a'), writer.commit(), writer.text('b'))).toStrictEqual([
    'run_started',
    'step_started',
    'text_delta',
    'assistant_message',
    'step_ended',
    'step_started',
    'text_delta',
  ])
})

test('gives a commit with exactly what became true, and none with a fragment', () => {
  const writer = create()
  expect(writer.text('a').commit).toStrictEqual({ messages: [], state: { type: 'running' } })
  expect(writer.text('b').commit).toBeUndefined()
  expect(writer.commit({ snapshot: { n: 1 } }).commit).toStrictEqual({
    messages: [{ id: 'ru-assistant-0', role: 'assistant', content: [{ type: 'text', text: 'ab' }] }],
    state: { type: 'running' },
    snapshot: { n: 1 },
    revision: 0,
  })
})

test('gives nothing after the end, not even for a call that was never made', () => {
  const writer = create()
  writer.toolCall('c', 'f')
  writer.end()
  const late = [
    writer.text('a'),
    writer.reasoning('a'),
    writer.toolCall('c', 'f', '{}'),
    writer.toolOutput('c', 'a'),
    writer.toolResult('c', 'a'),
    writer.toolResult('stranger', 'a'),
    writer.cancelCall('c', 'late'),
    writer.reset('late'),
    writer.commit({ snapshot: 1 }),
    writer.await(),
    writer.state([{ op: 'remove', path: '/nowhere' }]),
    writer.activity('a', 'PLAN', {}),
    writer.activityPatch('stranger', []),
    writer.end({ type: 'cancelled' }),
  ]
  expect(eventsOf(...late)).toStrictEqual([])
  expect(late.filter(({ commit }) => commit)).toStrictEqual([])
})

test('refuses to go on with a run that has ended', () => {
  const writer = create()
  writer.end()
  expect(() => create({ standing: writer.standing() })).toThrow(TypeError)
})

test('passes its options on to the fold', () => {
  const plain = create({ additions: false })
  plain.text('a')
  expect(outline(plain.end())).toStrictEqual(['assistant_message', 'run_finished'])
  const open = create({ reasoning: 'text' })
  open.reasoning('hmm')
  expect(factsOf(open.commit())[0]).toMatchObject({ type: 'assistant_thinking', text: 'hmm' })
})

// ── The message ──

test('builds the message in the order in which it was written, thinking first', () => {
  const writer = create()
  writer.text('a')
  writer.toolCall('c1', 'f', '{}')
  writer.reasoning('hm', { signature: 's1' })
  writer.text('b')
  writer.text('c')
  writer.reasoning('m', { signature: 's2', encrypted: 'e' })
  expect(writer.commit().commit?.messages[0]?.content).toStrictEqual([
    { type: 'thinking', text: 'hmm', signature: 's2', encrypted: 'e' },
    { type: 'text', text: 'a' },
    { type: 'tool_use', id: 'c1', name: 'f', input: {} },
    { type: 'text', text: 'bc' },
  ])
})

test('numbers text over a call, each call by itself and reasoning by itself', () => {
  const writer = create()
  const written = [
    writer.text('abc'),
    writer.toolCall('c1', 'f', '{"a'),
    writer.toolCall('c2', 'f', '{'),
    writer.text('de'),
    writer.reasoning('x'),
    writer.toolCall('c1', '', '":1}'),
    writer.reasoning('y'),
    writer.text('f'),
  ]
  expect(deltasOf(...written).flatMap((delta) => ('offset' in delta ? [delta.offset] : []))).toStrictEqual([
    0, 0, 0, 3, 0, 3, 1, 5,
  ])
})

test('counts UTF-16 units', () => {
  const writer = create()
  expect(deltasOf(writer.text('😀é'), writer.text('a')).at(-1)).toMatchObject({ offset: 3 })
})

test('commits no message when nothing was written', () => {
  const writer = create()
  expect(outline(writer.text(''), writer.commit())).toStrictEqual(['run_started', 'step_started'])
  expect(writer.messages()).toStrictEqual([])
  writer.text('a')
  expect(writer.commit().commit?.messages[0]?.id).toBe('ru-assistant-0')
})

test('opens the step again in the next segment when nothing was written in it', () => {
  const writer = create()
  writer.text('')
  writer.await([])
  expect(outline(writer.text('a'))).toStrictEqual(['run_started', 'step_started', 'text_delta'])
})

// ── Surrogates ──

test('holds the first half of a surrogate pair back until the second comes', () => {
  const writer = create()
  const written = [writer.text('a\ud83d'), writer.text('\ude00b')]
  expect(deltasOf(...written)).toMatchObject([
    { type: 'step_started' },
    { delta: 'a', offset: 0 },
    { delta: '😀b', offset: 1 },
  ])
})

test('holds halves apart for text, reasoning, each call and each output', () => {
  const writer = create()
  writer.text('\ud83d')
  writer.reasoning('\ud83d')
  writer.toolCall('c1', 'f', '"\ud83d')
  writer.toolCall('c2', 'f', '"\ud83d')
  const rest = [
    writer.toolCall('c2', 'f', '\ude00"'),
    writer.toolCall('c1', 'f', '\ude01"'),
    writer.reasoning('\ude02'),
    writer.text('\ude03'),
  ]
  expect(deltasOf(...rest)).toMatchObject([
    { id: 'c2', args_delta: '😀"', offset: 1 },
    { id: 'c1', args_delta: '😁"', offset: 1 },
    { type: 'reasoning_delta', delta: '😂', offset: 0 },
    { type: 'text_delta', delta: '😃', offset: 0 },
  ])
  writer.commit()
  expect(eventsOf(writer.toolOutput('c1', '\ud83d'), writer.toolOutput('c2', 'b'))).toHaveLength(1)
  expect(deltasOf(writer.toolOutput('c1', '\ude00'))).toStrictEqual([
    { type: 'tool_output_delta', id: 'c1', name: 'f', delta: '😀' },
  ])
})

test('commits a half that was never completed, in text, reasoning and arguments', () => {
  const writer = create()
  writer.text('a\ud83d')
  writer.reasoning('b\ud83d')
  writer.toolCall('c', 'f', '{"\ud83d')
  expect(writer.commit().commit?.messages[0]?.content).toStrictEqual([
    { type: 'thinking', text: 'b\ud83d' },
    { type: 'text', text: 'a' },
    { type: 'tool_use', id: 'c', name: 'f', input: null, raw_input: '{"\ud83d' },
    { type: 'text', text: '\ud83d' },
  ])
})

test('announces a call at once, even when its first fragment has to wait', () => {
  const writer = create()
  expect(deltasOf(writer.toolCall('c', 'f', '\ud83d')).at(-1)).toMatchObject({ id: 'c', args_delta: '', offset: 0 })
  expect(deltasOf(writer.toolCall('c', 'f'))).toStrictEqual([])
})

// ── Arguments ──

test.each<[raw: string, input: unknown, rawInput: string | undefined]>([
  ['', {}, undefined],
  ['{}', {}, undefined],
  ['{"a":1}', { a: 1 }, undefined],
  ['{"a": 1}', { a: 1 }, '{"a": 1}'],
  [' {}', {}, ' {}'],
  ['{"a":1,"a":2}', { a: 2 }, '{"a":1,"a":2}'],
  ['{"n":12345678901234567890}', { n: 12345678901234567000 }, '{"n":12345678901234567890}'],
  ['{"a":"\\u0041"}', { a: 'A' }, '{"a":"\\u0041"}'],
  ['{"a', null, '{"a'],
  [' ', {}, ' '],
  [' \n\t\r', {}, ' \n\t\r'],
  ['\u00a0', null, '\u00a0'],
  ['null', null, undefined],
  ['"a"', 'a', undefined],
  // Infinite, it would be written again as null.
  ['{"a":1e999}', null, '{"a":1e999}'],
])('reads the arguments %j', (raw, input, rawInput) => {
  const writer = create()
  for (const unit of raw) writer.toolCall('c', 'f', unit)
  writer.toolCall('c', 'f')
  expect(toolUses(writer.commit().commit?.messages[0])).toStrictEqual([
    { type: 'tool_use', id: 'c', name: 'f', input, ...(rawInput === undefined ? {} : { raw_input: rawInput }) },
  ])
})

test('keeps arguments that break the bounds as text', () => {
  const writer = create({ limits: { depth: 2 } })
  writer.toolCall('c', 'f', '[[[]]]')
  expect(toolUses(writer.commit().commit?.messages[0])).toMatchObject([{ input: null, raw_input: '[[[]]]' }])
})

test('keeps __proto__ in arguments an own key', () => {
  const writer = create()
  writer.toolCall('c', 'f', '{"__proto__":{"polluted":1}}')
  const [call] = factsOf(writer.commit())
  expect(JSON.stringify(call)).toContain('"input":{"__proto__":{"polluted":1}}')
  expect(call).not.toHaveProperty('raw_input')
})

// ── Ids ──

test('makes an id that repeats in a later message unique before its first delta', () => {
  const writer = create()
  const ids: string[] = []
  for (let round = 0; round < 3; round++) {
    const first = deltasOf(writer.toolCall('call_0', 'f', '{')).at(-1)
    const second = deltasOf(writer.toolCall('call_0', 'f', '}')).at(-1)
    writer.commit()
    const [result] = factsOf(writer.toolResult('call_0', `r${round}`))
    for (const named of [first, second, result]) if (named && 'id' in named) ids.push(named.id)
  }
  expect(ids).toStrictEqual([
    'call_0',
    'call_0',
    'call_0',
    'call_0-2',
    'call_0-2',
    'call_0-2',
    'call_0-3',
    'call_0-3',
    'call_0-3',
  ])
  expect(writer.standing().openCalls).toStrictEqual([])
})

test('does not give an id that somebody else has', () => {
  const writer = create()
  writer.toolCall('a-2', 'f')
  writer.toolCall('a', 'f')
  writer.toolCall('a', 'g')
  writer.toolCall('a-2', 'g')
  expect(callIds(writer.commit())).toStrictEqual(['a-2', 'a', 'a-3', 'a-2-2'])
})

test('opens another call when one id comes with another name, and then means the newest', () => {
  const writer = create()
  writer.toolCall('c', 'f', '{"a":1}')
  writer.toolCall('c', 'g', '{"b"')
  writer.toolCall('c', 'g', ':2}')
  writer.toolCall('c', '', ' ')
  expect(toolUses(writer.commit().commit?.messages[0])).toStrictEqual([
    { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } },
    { type: 'tool_use', id: 'c-2', name: 'g', input: { b: 2 }, raw_input: '{"b":2} ' },
  ])
})

test('lets results answer in order when one id was used twice in a message', () => {
  const writer = create()
  writer.toolCall('c', 'f')
  writer.toolCall('c', 'g')
  writer.commit()
  expect(factsOf(writer.toolResult('c', '1'), writer.toolResult('c', '2'), writer.toolResult('c', '3'))).toMatchObject([
    { type: 'tool_result', id: 'c', name: 'f', message_id: 'tool-c' },
    { type: 'tool_result', id: 'c-2', name: 'g', message_id: 'tool-c-2' },
    { type: 'step_ended' },
  ])
})

test('takes the id that the thread has as well as the one that the provider gave', () => {
  const writer = create()
  writer.toolCall('c', 'f')
  writer.toolCall('c', 'g')
  writer.commit()
  expect(factsOf(writer.toolResult('c-2', '2'), writer.toolResult('c', '1'))).toMatchObject([
    { id: 'c-2' },
    { id: 'c' },
    { type: 'step_ended' },
  ])
})

test('means the newest message when an older call of the same id is still open', () => {
  const writer = create()
  writer.toolCall('c', 'f')
  writer.commit()
  writer.toolCall('c', 'f')
  writer.commit()
  expect(factsOf(writer.toolResult('c', 'new'), writer.toolResult('c', 'old'))).toMatchObject([
    { id: 'c-2' },
    { type: 'step_ended', message_id: 'ru-assistant-1' },
    { id: 'c' },
    { type: 'step_ended', message_id: 'ru-assistant-0' },
  ])
})

test('means the call whose provider gave the id before one that has it in the thread', () => {
  const writer = create()
  writer.toolCall('a', 'f')
  writer.toolCall('a', 'g')
  writer.toolCall('a-2', 'h')
  expect(
    factsOf(writer.toolResult('a-2', 'of h'), writer.toolResult('a-2', 'late'), writer.toolResult('a', 'of f')),
  ).toMatchObject([
    { type: 'tool_call', id: 'a', name: 'f' },
    { type: 'tool_call', id: 'a-2', name: 'g' },
    { type: 'tool_call', id: 'a-2-2', name: 'h' },
    { type: 'tool_result', id: 'a-2-2', name: 'h', content: [{ text: 'of h' }] },
    { type: 'tool_result', id: 'a', name: 'f', content: [{ text: 'of f' }] },
  ])
})

test('gives own calls the ids of those that their provider gave the same', () => {
  const writer = create()
  writer.toolCall('a', 'f')
  writer.toolCall('a', 'g')
  writer.toolCall('a-2', 'h')
  const use = (id: string, name: string): ContentBlock => ({ type: 'tool_use', id, name, input: {} })
  const content = [use('a-2', 'h'), use('a', 'f'), use('a', 'g')]
  writer.commit({ messages: [{ id: writer.messageId(), role: 'assistant', content }] })
  expect(writer.messages().flatMap(toolUses)).toStrictEqual([use('a-2-2', 'h'), use('a', 'f'), use('a-2', 'g')])
})

test.each<[string, (writer: RunWriter) => Written]>([
  ['it was cancelled', (writer) => writer.cancelCall('a', 'lost')],
  ['a reset', (writer) => writer.reset('lost')],
  ['its message was committed', (writer) => writer.commit()],
])('takes a fragment without a name for late after %s', (_, act) => {
  const writer = create()
  writer.toolCall('a', 'f', '{"x":')
  act(writer)
  expect(writer.toolCall('a', '', '1}')).toStrictEqual({ events: [] })
  expect(writer.commit().commit?.messages).toStrictEqual([])
})

test('keeps calls apart that are named like inherited properties', () => {
  const writer = create()
  for (const id of ['__proto__', 'constructor', '__proto__']) {
    writer.toolCall(id, 'f', '{}')
    writer.commit()
    writer.toolResult(id, 'ok')
  }
  expect(writer.messages().flatMap(toolUses)).toMatchObject([
    { id: '__proto__' },
    { id: 'constructor' },
    { id: '__proto__-2' },
  ])
})

test('goes on behind the ids of a thread that it is given', () => {
  const before = create()
  before.toolCall('c', 'f')
  before.commit()
  before.toolResult('c', 'ok')
  before.text('a')
  before.await([])
  const after = create({ history: before.messages(), standing: before.standing() })
  const written = [after.toolCall('c', 'f'), after.commit()]
  expect(outline(...written).slice(0, 2)).toStrictEqual(['run_started', 'step_started'])
  expect(deltasOf(...written)[0]).toMatchObject({ message_id: 'ru-assistant-2' })
  expect(callIds(...written)).toStrictEqual(['c-2'])
  expect(after.messages()).toHaveLength(4)
})

test('goes on from a standing alone', () => {
  const standing: Standing = {
    state: { type: 'awaiting' },
    openCalls: [{ id: 'c', name: 'f', message_id: 'ru-assistant-4' }],
  }
  const writer = create({ standing })
  expect(writer.messageId()).toBe('ru-assistant-5')
  expect(factsOf(writer.toolResult('c', 'ok'))).toMatchObject([
    { type: 'run_started' },
    { type: 'tool_result', id: 'c', name: 'f' },
    { type: 'step_ended', message_id: 'ru-assistant-4' },
  ])
  expect(callIds(writer.toolCall('c', 'f'), writer.commit())).toStrictEqual(['c-2'])
})

test('does not take the messages of other runs for its own', () => {
  const history: Message[] = [
    { id: 'ru-2-assistant-7', role: 'assistant', content: [] },
    { id: 'ru-assistant-x', role: 'assistant', content: [] },
    { id: `ru-assistant-${'9'.repeat(30)}`, role: 'assistant', content: [] },
  ]
  expect(create({ history }).messageId()).toBe('ru-assistant-0')
})

test.each([2 ** 52 - 1, 2 ** 52, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER])(
  'gives every message an id of its own behind one with the number %d',
  (number) => {
    const writer = create({ history: [{ id: `ru-assistant-${number}`, role: 'assistant', content: [] }] })
    for (let n = 0; n < 4; n++) {
      writer.text('x')
      writer.commit()
    }
    expect(new Set(writer.messages().map(({ id }) => id)).size).toBe(5)
  },
)

// ── Taking back ──

test('opens a new attempt under a new id after a reset, and drops what was written', () => {
  const writer = create()
  const written = [
    writer.text('Hel'),
    writer.toolCall('c', 'f', '{'),
    writer.reset('connection lost'),
    writer.text('Good '),
    writer.reset('again'),
    writer.text('Hello'),
    writer.toolCall('c', 'f', '{}'),
    writer.commit(),
    writer.toolResult('c', 'ok'),
    writer.text('next'),
  ]
  expect(deltasOf(...written).map((delta) => ('message_id' in delta ? delta.message_id : delta.type))).toStrictEqual([
    'ru-assistant-0',
    'ru-assistant-0',
    'ru-assistant-0',
    'stream_reset',
    'ru-assistant-0-retry-1',
    'ru-assistant-0-retry-1',
    'stream_reset',
    'ru-assistant-0-retry-2',
    'ru-assistant-0-retry-2',
    'ru-assistant-0-retry-2',
    'ru-assistant-1',
    'ru-assistant-1',
  ])
  expect(factsOf(...written)).toMatchObject([
    { type: 'run_started' },
    { type: 'assistant_message', id: 'ru-assistant-0-retry-2', content: [{ text: 'Hello' }] },
    { type: 'tool_call', id: 'c-2', input: {} },
    { type: 'tool_result', id: 'c-2' },
    { type: 'step_ended' },
  ])
})

test('has nothing to reset between messages', () => {
  const writer = create()
  expect(writer.reset('x')).toStrictEqual({ events: [] })
  writer.text('a')
  writer.commit()
  expect(writer.reset('x')).toStrictEqual({ events: [] })
  writer.text('b')
  expect(writer.commit().commit?.messages[0]?.id).toBe('ru-assistant-1')
})

test('takes a call that is cancelled while it is written out of the message', () => {
  const writer = create()
  writer.text('a')
  writer.toolCall('c', 'f', '{"x')
  expect(eventsOf(writer.cancelCall('c', 'lost')).map(({ event }) => event)).toStrictEqual([
    { type: 'tool_call_cancelled', id: 'c', name: 'f', reason: 'lost' },
  ])
  writer.toolCall('c', 'f', '{}')
  expect(callIds(writer.commit())).toStrictEqual(['c-2'])
})

test('answers a committed call that is cancelled, and ignores what comes late', () => {
  const writer = create()
  writer.toolCall('c', 'f')
  writer.commit()
  expect(factsOf(writer.cancelCall('c', 'too slow'))).toMatchObject([
    {
      type: 'tool_result',
      id: 'c',
      content: [{ type: 'text', text: 'Cancelled: too slow' }],
      is_error: true,
      cancelled: true,
    },
    { type: 'step_ended' },
  ])
  const late = [writer.toolOutput('c', 'a'), writer.toolResult('c', 'ok'), writer.cancelCall('c', 'again')]
  expect(eventsOf(...late)).toStrictEqual([])
})

test('says how to open a call that was never made', () => {
  const writer = create()
  for (const misuse of [
    () => writer.toolResult('c', 'ok'),
    () => writer.toolOutput('c', 'ok'),
    () => writer.cancelCall('c', 'x'),
  ]) {
    expect(misuse).toThrow(new TypeError('no call "c" was made: open it with toolCall or commit its message'))
  }
})

// ── Results ──

test('commits the message before the result of one of its calls', () => {
  const writer = create()
  writer.text('a')
  writer.toolCall('c', 'f', '{}')
  const { commit, events } = writer.toolResult('c', 'ok')
  expect(commit?.messages.map(({ id }) => id)).toStrictEqual(['ru-assistant-0', 'tool-c'])
  expect(outline({ events })).toStrictEqual(['assistant_message', 'tool_call', 'tool_result', 'step_ended'])
})

test('keeps what a result says about itself', () => {
  const writer = create()
  for (const id of ['a', 'b', 'c', 'd', 'e']) writer.toolCall(id, 'f')
  const image: ContentBlock = { type: 'image', source: { type: 'url', url: 'u' } }
  expect(
    factsOf(
      writer.commit(),
      writer.toolResult('a', ''),
      writer.toolResult('b', [image], { is_error: true }),
      writer.toolResult('c', 'no', { denied: true }),
      writer.toolResult('d', 'no', { denied: true, is_error: false, data: null }),
      writer.toolResult('e', 'no', { cancelled: false }),
    ).filter(({ type }) => type === 'tool_result'),
  ).toMatchObject([
    { content: [], is_error: false },
    { content: [image], is_error: true },
    { is_error: true, denied: true },
    { is_error: false, denied: true, data: null },
    { is_error: false, cancelled: false },
  ])
})

// ── Waiting ──

test('takes the disposition of a call over into what is pending', () => {
  const writer = create()
  writer.toolCall('a', 'f', '{}', 'pending_client')
  const more = deltasOf(writer.toolCall('b', 'g', '{', 'pending_builtin'), writer.toolCall('b', 'g', '}'))
  writer.toolCall('c', 'h')
  expect(more).toMatchObject([{ disposition: 'pending_builtin' }, { disposition: 'pending_builtin' }])
  expect(factsOf(writer.await())).toMatchObject([
    { type: 'tool_call', id: 'a', disposition: 'pending_client' },
    { type: 'tool_call', id: 'b', disposition: 'pending_builtin' },
    { type: 'tool_call', id: 'c', disposition: 'executed' },
    {
      type: 'awaiting',
      pending_tool_use_id: 'a',
      pending: [
        { tool_use_id: 'a', kind: 'client' },
        { tool_use_id: 'b', kind: 'approval' },
      ],
    },
  ])
})

test('remembers what is pending until it is answered', () => {
  const writer = create()
  writer.toolCall('a', 'f')
  writer.toolCall('b', 'f')
  writer.commit({
    pending: [
      { tool_use_id: 'b', kind: 'approval', message: 'sure?' },
      { tool_use_id: 'a', kind: 'client' },
    ],
  })
  expect(factsOf(writer.await()).at(-1)).toMatchObject({ pending: [{ tool_use_id: 'a' }, { message: 'sure?' }] })
  writer.toolResult('a', 'ok')
  expect(factsOf(writer.await()).at(-1)).toMatchObject({ pending_tool_use_id: 'b' })
  writer.toolResult('b', 'ok')
  expect(() => writer.await()).toThrow('nobody is waited for')
  expect(factsOf(writer.await([])).at(-1)).toStrictEqual({ type: 'awaiting', pending_tool_use_id: null, pending: [] })
})

test('waits for a call that is still being written, and refuses to wait for nobody without a trace of it', () => {
  const writer = create()
  writer.toolCall('a', 'f', '{}')
  expect(() => writer.await()).toThrow(TypeError)
  writer.toolCall('b', 'f', '{}', 'pending_client')
  expect(factsOf(writer.await()).at(-1)).toMatchObject({ pending: [{ tool_use_id: 'b', kind: 'client' }] })
})

test('names what is pending by the ids of the thread', () => {
  const writer = create()
  writer.toolCall('c', 'f')
  writer.commit()
  writer.toolResult('c', 'ok')
  writer.toolCall('c', 'f')
  expect(factsOf(writer.await([{ tool_use_id: 'c', kind: 'client' }]))).toMatchObject([
    { type: 'tool_call', id: 'c-2', disposition: 'pending_client' },
    { type: 'awaiting', pending_tool_use_id: 'c-2' },
  ])
})

test('takes a list of what is pending for the whole of it', () => {
  const writer = create()
  writer.toolCall('a', 'f', '{}', 'pending_client')
  writer.toolCall('b', 'f', '{}', 'pending_client')
  writer.commit({ pending: [{ tool_use_id: 'b', kind: 'client' }] })
  expect(factsOf(writer.await()).at(-1)).toStrictEqual({
    type: 'awaiting',
    pending_tool_use_id: 'b',
    pending: [{ tool_use_id: 'b', kind: 'client' }],
  })
})

test('takes two pending entries of one id for two calls', () => {
  const writer = create()
  writer.toolCall('c', 'f')
  writer.toolCall('c', 'g')
  const pending = [
    { tool_use_id: 'c', kind: 'client' },
    { tool_use_id: 'c', kind: 'approval' },
  ] as const
  expect(factsOf(writer.await(pending))).toMatchObject([
    { type: 'tool_call', id: 'c', disposition: 'pending_client' },
    { type: 'tool_call', id: 'c-2', disposition: 'pending_builtin' },
    { type: 'awaiting', pending: [{ tool_use_id: 'c' }, { tool_use_id: 'c-2' }] },
  ])
})

test('starts again after awaiting', () => {
  const writer = create()
  writer.toolCall('c', 'f', '{}', 'pending_client')
  writer.await()
  expect(outline(writer.toolResult('c', 'ok'), writer.text('a'), writer.end())).toStrictEqual([
    'run_started',
    'tool_result',
    'step_ended',
    'step_started',
    'text_delta',
    'assistant_message',
    'step_ended',
    'run_finished',
  ])
})

// ── Ends ──

test('commits the partial message of a run that is cancelled, its calls answered', () => {
  const writer = create()
  writer.text('Let me')
  writer.toolCall('c', 'f', '{"pa')
  const { commit, events } = writer.end({ type: 'cancelled' })
  expect(commit?.messages.map(({ id }) => id)).toStrictEqual(['ru-assistant-0', 'tool-c'])
  expect(factsOf({ events })).toMatchObject([
    { type: 'assistant_message', content: [{ text: 'Let me' }] },
    { type: 'tool_call', id: 'c', input: null, raw_input: '{"pa' },
    { type: 'tool_result', id: 'c', is_error: true, cancelled: true },
    { type: 'step_ended' },
    { type: 'run_finished', cause: { type: 'cancelled' } },
  ])
  expect(writer.standing()).toStrictEqual({ state: { type: 'ended', cause: { type: 'cancelled' } }, openCalls: [] })
})

test('answers calls of earlier messages too when the run fails', () => {
  const writer = create()
  writer.toolCall('c1', 'f')
  writer.toolCall('c2', 'f')
  writer.commit()
  writer.toolResult('c1', 'ok')
  expect(factsOf(writer.end({ type: 'error', failure: { code: 'overloaded' } }))).toMatchObject([
    { type: 'tool_result', id: 'c2', is_error: true },
    { type: 'step_ended' },
    { type: 'run_failed', code: 'overloaded' },
  ])
})

test('ends with whatever a commit says', () => {
  const writer = create()
  writer.text('a')
  const { events } = writer.commit({ state: { type: 'ended', cause: { type: 'max_steps' } }, snapshot: 1 })
  expect(outline({ events })).toStrictEqual(['assistant_message', 'state_snapshot', 'step_ended', 'run_finished'])
  expect(eventsOf(writer.text('b'))).toStrictEqual([])
})

// ── Messages of one's own ──

const own = (id: string, ...content: ContentBlock[]): Message => ({ id, role: 'assistant', content })
const use = (id: string): ContentBlock => ({ type: 'tool_use', id, name: 'f', input: {} })
const answer = (id: string): ContentBlock => ({ type: 'tool_result', tool_use_id: id, content: [], is_error: false })

test('lets an own assistant message take the place of the written one', () => {
  const writer = create()
  writer.text('Hel')
  const message = own(writer.messageId(), { type: 'text', text: 'Hello' })
  expect(writer.commit({ messages: [message] }).commit?.messages).toStrictEqual([message])
  expect(outline(writer.commit())).toStrictEqual([])
  expect(deltasOf(writer.text('b'))[0]).toMatchObject({ message_id: 'ru-assistant-1' })
})

test('keeps writing when an own commit has no assistant message', () => {
  const writer = create()
  writer.text('a')
  expect(outline(writer.commit({ messages: [], snapshot: 1 }))).toStrictEqual(['state_snapshot'])
  expect(outline(writer.text('b'), writer.commit())).toStrictEqual(['text_delta', 'assistant_message', 'step_ended'])
})

test('leaves nothing unwritten at the end of a segment', () => {
  const writer = create()
  writer.text('a')
  const user: Message = { id: 'u', role: 'user', content: [] }
  const { commit } = writer.commit({ messages: [user], state: { type: 'awaiting' } })
  expect(commit?.messages.map(({ id }) => id)).toStrictEqual(['ru-assistant-0', 'u'])
})

test('gives own calls the ids under which they were announced, and unique ones where they repeat', () => {
  const writer = create()
  writer.toolCall('c', 'f')
  writer.commit()
  writer.toolResult('c', 'ok')
  writer.toolCall('c', 'f')
  const { commit } = writer.commit({
    messages: [
      own('m1', use('c'), use('c'), use('d')),
      { id: 't1', role: 'tool', content: [answer('c'), answer('d'), answer('c')] },
      own('m2', use('c')),
    ],
  })
  expect(commit?.messages).toStrictEqual([
    own('m1', use('c-2'), use('c-3'), use('d')),
    { id: 't1', role: 'tool', content: [answer('c-2'), answer('d'), answer('c-3')] },
    own('m2', use('c-4')),
  ])
  expect(writer.standing().openCalls).toStrictEqual([{ id: 'c-4', name: 'f', message_id: 'm2' }])
  expect(factsOf(writer.toolResult('c', 'ok'))[0]).toMatchObject({ type: 'tool_result', id: 'c-4' })
})

test('commits the written message before an own result of its call', () => {
  const writer = create()
  writer.toolCall('c', 'f')
  const { commit } = writer.commit({ messages: [{ id: 't', role: 'tool', content: [answer('c')] }] })
  expect(commit?.messages.map(({ id }) => id)).toStrictEqual(['ru-assistant-0', 't'])
  expect(writer.standing().openCalls).toStrictEqual([])
})

test('goes on behind an own message that has a number', () => {
  const writer = create()
  writer.commit({ messages: [own('ru-assistant-3', { type: 'text', text: 'a' })] })
  expect(writer.messageId()).toBe('ru-assistant-4')
})

test('nobody is asked to run a call whose arguments were cut', () => {
  const run = create()
  run.toolCall('a', 'choose', '{"path":"/tm', 'pending_client')
  run.toolCall('b', 'choose', '{}', 'pending_client')
  const { commit } = run.await()
  expect(commit?.pending?.map(({ tool_use_id }) => tool_use_id)).toEqual(['b'])
  expect(commit?.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: [{ tool_use_id: 'a', is_error: true, content: [{ text: expect.stringContaining('not valid JSON') }] }],
  })
  expect(run.standing().openCalls.map(({ id }) => id)).toEqual(['b'])
})
