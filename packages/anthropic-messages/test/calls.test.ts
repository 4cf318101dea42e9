import { checkGrammar, type Delta, type Fact } from '@factwire/core'
import { readMessages } from '@factwire/conformance'
import { expect, test } from 'vitest'
import { anthropicMessages, framing, grammar, type WrittenEvent } from '../src/index.ts'
import { readFinal } from './client.ts'
import { RUN } from './scene.ts'

const clientTools = ['ask']

/** Written live, event by event. */
function written(events: readonly (Fact | Delta)[]): readonly WrittenEvent[] {
  const target = anthropicMessages.transcoder(RUN, { clientTools }) as {
    fact(fact: Fact): readonly WrittenEvent[]
    delta(delta: Delta): readonly WrittenEvent[]
    settled(): readonly WrittenEvent[]
    close(): readonly WrittenEvent[]
  }
  const frames = events.flatMap((event) =>
    event.type.endsWith('_delta') || event.type === 'stream_reset' || event.type === 'tool_call_cancelled'
      ? target.delta(event as Delta)
      : target.fact(event as Fact),
  )
  return [...frames, ...target.settled(), ...target.close()]
}

const bodyOf = (frames: readonly WrittenEvent[]): string => frames.map((frame) => framing.text(frame)).join('')

function breaches(body: string): readonly string[] {
  const check = checkGrammar(grammar)
  const frames = readMessages([new TextEncoder().encode(body)]).flatMap((message) => framing.parse(message) ?? [])
  return [...frames.flatMap((frame) => check.push(frame)), ...check.end()].map(({ rule }) => rule)
}

/** Frames in few words. */
const told = (frames: readonly WrittenEvent[]): readonly string[] =>
  frames.flatMap((frame) => {
    switch (frame.type) {
      case 'content_block_start': {
        const block = frame.content_block
        return [`${frame.index} ${block.type}${'id' in block ? ` ${block.id}` : ''}`]
      }
      case 'content_block_delta': {
        const { delta } = frame
        const piece = 'text' in delta ? delta.text : 'partial_json' in delta ? delta.partial_json : delta.type
        return [`${frame.index} ${piece}`]
      }
      case 'content_block_stop':
        return [`${frame.index} stop`]
      case 'message_delta':
        return [frame.delta.stop_reason]
      case 'error':
        return [`error ${frame.error.code}`]
      default:
        return []
    }
  })

const started: Fact = { type: 'run_started' }
const text = (delta: string): Delta => ({ type: 'text_delta', delta, message_id: 'm' })
const args = (id: string, args_delta: string, name = 'ask'): Delta => ({
  type: 'tool_call_delta',
  id,
  name,
  args_delta,
  message_id: 'm',
})
const message = (value: string): Fact => ({
  type: 'assistant_message',
  id: 'm',
  content: [{ type: 'text', text: value }],
})
const call = (id: string, input: unknown, more: object = {}): Fact => ({
  type: 'tool_call',
  id,
  name: 'ask',
  input: input as null,
  disposition: 'pending_client',
  message_id: 'm',
  ...more,
})
const awaiting = (...ids: readonly string[]): Fact => ({
  type: 'awaiting',
  pending_tool_use_id: ids[0] ?? null,
  pending: ids.map((tool_use_id) => ({ tool_use_id, kind: 'client' })),
})
const finished = (more: object = {}): Fact => ({ type: 'run_finished', exhausted: false, ...more })

async function fine(frames: readonly WrittenEvent[]): Promise<Awaited<ReturnType<typeof readFinal>>> {
  const body = bodyOf(frames)
  expect(breaches(body)).toEqual([])
  const result = await readFinal(body)
  expect(result.error).toBeUndefined()
  return result
}

test('a call of the client is shown while it is written', async () => {
  const frames = written([started, args('a', '{"q":'), args('a', '1}'), call('a', { q: 1 }), awaiting('a')])
  expect(told(frames)).toEqual(['0 tool_use a', '0 {"q":', '0 1}', '0 stop', 'tool_use'])
  expect((await fine(frames)).content).toEqual([{ type: 'tool_use', id: 'a', name: 'ask', input: { q: 1 } }])
})

test('what is missing of its arguments comes with its fact', async () => {
  const frames = written([started, args('a', '{"q":'), call('a', { q: 1 }), awaiting('a')])
  expect(told(frames)).toEqual(['0 tool_use a', '0 {"q":', '0 1}', '0 stop', 'tool_use'])
  await fine(frames)
})

test('a call is shown while another is written no sooner than that one is committed', async () => {
  const frames = written([
    started,
    args('a', '{"q":'),
    args('b', '{"r":'),
    args('a', '1}'),
    args('b', '2}'),
    call('a', { q: 1 }),
    call('b', { r: 2 }),
    awaiting('a', 'b'),
  ])
  expect(told(frames)).toEqual([
    '0 tool_use a',
    '0 {"q":',
    '0 1}',
    '0 stop',
    '1 tool_use b',
    '1 {"r":2}',
    '1 stop',
    'tool_use',
  ])
  await fine(frames)
})

test('text waits while a call is written, and no block ends that a client could run before it is committed', async () => {
  const live = [started, text('Let me '), args('a', '{"q":'), text('ask.'), args('a', '"}"}'), text(' Now.')]
  expect(told(written(live)).slice(0, -1)).toEqual([
    '0 text',
    '0 Let me ',
    '0 stop',
    '1 tool_use a',
    '1 {"q":',
    '1 "}"}',
  ])
  const frames = written([...live, message('Let me ask. Now.'), call('a', { q: '}' }), awaiting('a')])
  expect(told(frames)).toEqual([
    '0 text',
    '0 Let me ',
    '0 stop',
    '1 tool_use a',
    '1 {"q":',
    '1 "}"}',
    '1 stop',
    '2 text',
    '2 ask.',
    '2  Now.',
    '2 stop',
    'tool_use',
  ])
  const { heard } = await fine(frames)
  expect(heard.text).toBe('Let me ask. Now.')
})

test('what waits for a call that is cut follows once its fact is there', async () => {
  const frames = written([
    started,
    args('a', '{"q":'),
    text('So.'),
    message('So. Yes.'),
    call('a', { q: 1 }),
    call('x', {}, { name: 'look', disposition: 'executed' }),
    { type: 'tool_result', id: 'x', content: [], is_error: false },
    awaiting('a'),
  ])
  expect(told(frames)).toEqual([
    '0 tool_use a',
    '0 {"q":',
    '0 1}',
    '0 stop',
    '1 text',
    '1 So.',
    '1  Yes.',
    '1 stop',
    '2 mcp_tool_use x',
    '2 stop',
    '3 mcp_tool_result',
    '3 stop',
    'tool_use',
  ])
  await fine(frames)
})

test('arguments that are no object are told whole, when the run waits', async () => {
  for (const input of [1, 'x', null, [1, 2], true]) {
    const json = JSON.stringify(input)
    const frames = written([
      started,
      args('a', json),
      args('b', '{}'),
      call('a', input),
      call('b', {}),
      awaiting('a', 'b'),
    ])
    const { content } = await fine(frames)
    expect(content).toEqual([
      { type: 'tool_use', id: 'a', name: 'ask', input },
      { type: 'tool_use', id: 'b', name: 'ask', input: {} },
    ])
  }
})

test('a call without arguments has one empty piece', async () => {
  const frames = written([started, call('a', {}), awaiting('a')])
  expect(told(frames)).toEqual(['0 tool_use a', '0 ', '0 stop', 'tool_use'])
  await fine(frames)
})

test('arguments go out as the model wrote them', async () => {
  const raw_input = '{"n": 9007199254740993}'
  const frames = written([started, call('a', { n: 9007199254740992 }, { raw_input }), awaiting('a')])
  expect(bodyOf(frames)).toContain('9007199254740993')
  await fine(frames)
})

test('a call of the agent is never offered, whatever its deltas say', async () => {
  const frames = written([
    started,
    args('a', '{"q":1}', 'look'),
    call('a', { q: 1 }, { name: 'look', disposition: 'executed' }),
    { type: 'tool_result', id: 'a', content: [{ type: 'text', text: 'x' }], is_error: false },
    finished(),
  ])
  expect(told(frames)).toEqual(['0 mcp_tool_use a', '0 stop', '1 mcp_tool_result', '1 stop', 'end_turn'])
  await fine(frames)
})

test('a call that was shown and is cut by the limit stays, and the stop reason says so', async () => {
  const frames = written([
    started,
    args('a', '{"q":"x'),
    call('a', null, { raw_input: '{"q":"x', disposition: 'executed' }),
    { type: 'tool_result', id: 'a', content: [], is_error: true },
    finished({ exhausted: true }),
  ])
  expect(told(frames)).toEqual(['0 tool_use a', '0 {"q":"x', '0 stop', 'max_tokens'])
  expect((await fine(frames)).stopReason).toBe('max_tokens')
})

test('a call that was shown and that nobody is to run is no success', () => {
  const gone: readonly Fact[] = [
    call('a', {}, { disposition: 'executed' }),
    { type: 'tool_result', id: 'a', content: [], is_error: true },
  ]
  expect(told(written([started, args('a', '{}'), ...gone, finished()])).at(-1)).toBe(
    'error stream_reconciliation_failed',
  )
  // Whole, it could be run, also where the limit ends the run behind it.
  expect(told(written([started, args('a', '{}'), ...gone, finished({ exhausted: true })])).at(-1)).toBe(
    'error stream_reconciliation_failed',
  )
  expect(told(written([started, args('a', '{}'), ...gone, call('b', {}), awaiting('b')])).at(-1)).toBe(
    'error stream_reconciliation_failed',
  )
})

test('a call that is committed and never waited for is not offered', async () => {
  const frames = written([
    started,
    call('a', {}),
    { type: 'tool_result', id: 'a', content: [], is_error: true },
    finished(),
  ])
  expect(told(frames)).toEqual(['end_turn'])
  await fine(frames)
})

test.each<[string, (Fact | Delta)[]]>([
  ['was cancelled', [args('a', '{}'), { type: 'tool_call_cancelled', id: 'a', name: 'ask', reason: 'lost' }]],
  ['was begun again', [args('a', '{}'), { type: 'stream_reset', reason: 'again' }]],
  ['has other arguments', [args('a', '{"q":1'), call('a', { q: 2 }), awaiting('a')]],
  [
    'has more behind its arguments',
    [args('a', '{}'), text('x'), args('a', '{}'), message('x'), call('a', {}), awaiting('a')],
  ],
  ['was written twice', [args('a', '{"q":1}'), args('a', '{"q":1}'), call('a', { q: 1 }), awaiting('a')]],
  ['is in no fact', [args('a', '{}'), message('Hi.'), { type: 'step_ended', message_id: 'm' }, finished()]],
])('a call that was shown and %s ends the stream as failed', async (_name, events) => {
  const frames = written([started, ...events])
  expect(told(frames).at(-1)).toBe('error stream_reconciliation_failed')
  expect((await readFinal(bodyOf(frames))).error).toMatchObject({
    reported: true,
    code: 'stream_reconciliation_failed',
  })
  expect(breaches(bodyOf(frames))).toEqual([])
})

test('a wait for a call whose arguments are no JSON, or that nobody knows, cannot be told', () => {
  const broken = written([started, call('a', null, { raw_input: 'nope' }), awaiting('a')])
  expect(told(broken)).toEqual(['error awaiting_unsupported'])
  expect(told(written([started, awaiting('zz')]))).toEqual(['error awaiting_unsupported'])
  expect(told(written([started, { type: 'awaiting', pending_tool_use_id: null }]))).toEqual([
    'error awaiting_unsupported',
  ])
})

test('a call of the agent that the client is to run after all is offered under its id', async () => {
  const frames = written([started, call('a', { q: 1 }, { name: 'look', disposition: 'executed' }), awaiting('a')])
  expect(told(frames)).toEqual(['0 mcp_tool_use a', '0 stop', '1 tool_use a', '1 {"q":1}', '1 stop', 'tool_use'])
  await fine(frames)
})
