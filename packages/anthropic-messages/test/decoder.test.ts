import { expect, test } from 'vitest'
import {
  args,
  begin,
  call,
  delta,
  deltasOf,
  end,
  event,
  eventsOf,
  factOf,
  factsOf,
  start,
  stop,
  text,
} from './streams.ts'

const ping = 'event: ping\ndata: {"type": "ping"}\n\n'
const types = (body: string): string[] => factsOf(body).map(({ type }) => type)
const last = (body: string): unknown => factsOf(body).at(-1)

test('a text is a message that ends by itself', () => {
  const facts = factsOf(begin() + text(0, 'Hel', 'lo') + end('end_turn'))
  expect(facts).toEqual([
    { type: 'run_started' },
    { type: 'assistant_message', id: 'msg_1', content: [{ type: 'text', text: 'Hello' }] },
    {
      type: 'inference_completed',
      model: 'm',
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
      duration_ms: 0,
    },
    { type: 'step_ended', message_id: 'msg_1' },
    { type: 'run_finished', exhausted: false, cause: { type: 'natural_end' } },
  ])
})

test('fragments are numbered over all blocks of a message, and pings say nothing', () => {
  const body = ping + begin() + ping + text(0, 'Hel', 'lo') + ping + text(1, ' world') + end('end_turn')
  expect(deltasOf(body)).toEqual([
    { type: 'text_delta', delta: 'Hel', message_id: 'msg_1', offset: 0 },
    { type: 'text_delta', delta: 'lo', message_id: 'msg_1', offset: 3 },
    { type: 'text_delta', delta: ' world', message_id: 'msg_1', offset: 5 },
  ])
})

test('blocks that are told of in turns are shown one after the other, as the message has them', () => {
  const open = (type: string): string =>
    start(0, { type, [type]: '' }) +
    start(1, { type: 'tool_use', id: 'c', name: 'f', input: {} }) +
    start(2, { type, [type]: '' })
  const said = (type: string, index: number, words: string): string =>
    delta(index, { type: `${type}_delta`, [type]: words })
  for (const [type, shown] of [
    ['text', 'text_delta'],
    ['thinking', 'reasoning_delta'],
  ] as const) {
    const words = said(type, 0, 'A') + said(type, 2, 'B') + args(1, '{}') + said(type, 0, 'a') + said(type, 2, 'b')
    const deltas = deltasOf(
      begin() + open(type) + words + stop(0) + said(type, 2, '!') + stop(1) + stop(2) + end('tool_use'),
    )
    expect(deltas.flatMap((told) => (told.type === shown ? [told.delta] : []))).toEqual(['A', 'a', 'Bb', '!'])
    expect(deltas.map(({ type: kind }) => kind)).toContain('tool_call_delta')
  }
})

test('a surrogate pair that was cut is shown whole', () => {
  const deltas = deltasOf(begin() + text(0, 'a\ud83e', '\udd16b') + end('end_turn'))
  expect(deltas.map((told) => ('delta' in told ? told.delta : ''))).toEqual(['a', '\ud83e\udd16b'])
})

// ── Thoughts ──

const thinking = (index: number, thought: string, signature?: string): string =>
  start(index, { type: 'thinking', thinking: '', signature: '' }) +
  (thought === '' ? '' : delta(index, { type: 'thinking_delta', thinking: thought })) +
  (signature === undefined ? '' : delta(index, { type: 'signature_delta', signature })) +
  stop(index)

test.each([
  ['with its signature', thinking(0, 'Hm.', 's'), { text: 'Hm.', signature: 's' }],
  ['without one', thinking(0, 'Hm.'), { text: 'Hm.' }],
  ['that is a signature alone', thinking(0, '', 's'), { text: '', signature: 's' }],
  ['that was withheld', start(0, { type: 'redacted_thinking', data: 'x' }) + stop(0), { text: '', encrypted: 'x' }],
  [
    'whose signature comes in a block of its own',
    thinking(0, 'Hm.') + thinking(1, '', 's'),
    { text: 'Hm.', signature: 's' },
  ],
  [
    'with a second one, withheld',
    thinking(0, 'Hm.', 's') + start(1, { type: 'redacted_thinking', data: 'x' }) + stop(1),
    { text: 'Hm.', signature: 's', encrypted: 'x' },
  ],
])('a thought %s', (_name, blocks, thought) => {
  const facts = factsOf(begin() + blocks + text(2, 'Hi.') + end('end_turn'))
  expect(factOf(facts, 'assistant_thinking')).toEqual({ type: 'assistant_thinking', message_id: 'msg_1', ...thought })
})

test('a thought inside a block of text is a thought, and a block that was never begun is one', () => {
  const body =
    begin() +
    start(0, { type: 'text', text: '' }) +
    delta(0, { type: 'thinking_delta', thinking: 'Hm.' }) +
    delta(1, { type: 'text_delta', text: 'Hi.' }) +
    end('end_turn')
  expect(factOf(factsOf(body), 'assistant_thinking')?.text).toBe('Hm.')
  expect(factOf(factsOf(body), 'assistant_message')?.content).toEqual([{ type: 'text', text: 'Hi.' }])
})

// ── Calls of the client ──

test('a call waits for the client, with its arguments as they were written', () => {
  const body = begin() + call(0, 'c', 'look', '', '{"q": ', '1}') + end('tool_use')
  const facts = factsOf(body)
  expect(factOf(facts, 'tool_call')).toEqual({
    type: 'tool_call',
    id: 'c',
    name: 'look',
    input: { q: 1 },
    raw_input: '{"q": 1}',
    disposition: 'pending_client',
    message_id: 'msg_1',
  })
  expect(facts.at(-1)).toEqual({
    type: 'awaiting',
    pending_tool_use_id: 'c',
    pending: [{ tool_use_id: 'c', kind: 'client' }],
  })
  expect(deltasOf(body).map((told) => ('args_delta' in told ? told.args_delta : ''))).toEqual(['', '{"q": ', '1}'])
})

test.each([
  ['no pieces', [], {}],
  ['one empty piece', [''], {}],
  ['white space alone', [' '], {}],
])('a call with %s has no arguments', (_name, pieces, input) => {
  expect(factOf(factsOf(begin() + call(0, 'c', 'now', ...pieces) + end('tool_use')), 'tool_call')?.input).toEqual(input)
})

test('arguments may stand in the beginning of a call, and pieces count for more', () => {
  const whole = (input: unknown): string => start(0, { type: 'tool_use', id: 'c', name: 'look', input })
  const one = begin() + whole({ q: 1 }) + stop(0) + end('tool_use')
  expect(factOf(factsOf(one), 'tool_call')?.input).toEqual({ q: 1 })
  expect(deltasOf(one).at(-1)).toMatchObject({ args_delta: '{"q":1}', offset: 0 })
  const both = begin() + whole({ q: 1 }) + args(0, '{"q":2}') + stop(0) + end('tool_use')
  expect(factOf(factsOf(both), 'tool_call')?.input).toEqual({ q: 2 })
  const none = begin() + whole(null) + stop(0) + end('tool_use')
  expect(factOf(factsOf(none), 'tool_call')?.input).toEqual({})
})

test('a call whose arguments are no JSON has its result at once, and nobody runs it', () => {
  const facts = factsOf(begin() + call(0, 'c', 'look', '{"q":') + call(1, 'd', 'look', '{}') + end('tool_use'))
  expect(facts.find((fact) => fact.type === 'tool_call' && fact.id === 'c')).toMatchObject({
    input: null,
    raw_input: '{"q":',
    disposition: 'executed',
  })
  expect(factOf(facts, 'tool_result')).toMatchObject({ id: 'c', is_error: true })
  expect(facts.at(-1)).toMatchObject({ type: 'awaiting', pending: [{ tool_use_id: 'd' }] })
})

test('a call that was cut by the limit is not run, and has a result that says so', () => {
  const body =
    begin() + start(0, { type: 'tool_use', id: 'c', name: 'look', input: {} }) + args(0, '{"q":"x') + end('max_tokens')
  const facts = factsOf(body)
  expect(factOf(facts, 'tool_call')).toMatchObject({ input: null, raw_input: '{"q":"x', disposition: 'executed' })
  expect(factOf(facts, 'tool_result')).toMatchObject({ id: 'c', is_error: true })
  expect(facts.at(-1)).toEqual({ type: 'run_finished', exhausted: true, cause: { type: 'max_steps', code: 'length' } })
})

test('a number that is too large to be held makes arguments that nobody runs', () => {
  const body =
    begin() +
    `event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"n","input":{"a":1e999}}}\n\n` +
    stop(0) +
    end('tool_use')
  expect(factOf(factsOf(body), 'tool_call')).toMatchObject({ input: null, disposition: 'executed' })
})

test('ids that repeat, or that the thread has, become others', async () => {
  const body = begin() + call(0, 'c', 'look', '{}') + call(1, 'c', 'look', '{}') + end('tool_use')
  expect(factsOf(body).flatMap((fact) => (fact.type === 'tool_call' ? [fact.id] : []))).toEqual(['c', 'c-2'])
  const events = await eventsOf(body, { usedCallIds: ['c'] })
  expect(events.flatMap(({ event: told }) => (told.type === 'tool_call' ? [told.id] : []))).toEqual(['c-2', 'c-3'])
})

// ── Calls that the provider runs ──

const server = (index: number, id: string, name: string, ...pieces: readonly string[]): string =>
  start(index, { type: 'server_tool_use', id, name, input: {} }) + args(index, ...pieces) + stop(index)

test('a search is an executed call with its result, and what follows is another message', () => {
  const found = [
    { type: 'web_search_result', url: 'https://e.com', title: 'E', encrypted_content: 'x', page_age: null },
  ]
  const body =
    begin() +
    text(0, 'Let me look.') +
    server(1, 's', 'web_search', '{"query":"e"}') +
    start(2, { type: 'web_search_tool_result', tool_use_id: 's', content: found }) +
    stop(2) +
    text(3, 'Found.') +
    end('end_turn')
  const facts = factsOf(body)
  expect(types(body)).toEqual([
    'run_started',
    'assistant_message',
    'tool_call',
    'tool_result',
    'step_ended',
    'assistant_message',
    'inference_completed',
    'step_ended',
    'run_finished',
  ])
  expect(factOf(facts, 'tool_call')).toMatchObject({ id: 's', disposition: 'executed', input: { query: 'e' } })
  expect(factOf(facts, 'tool_result')).toMatchObject({
    id: 's',
    is_error: false,
    content: [{ type: 'search_result', source: 'https://e.com', title: 'E' }],
    data: { type: 'web_search_tool_result', content: found },
  })
  expect(facts.filter((fact) => fact.type === 'assistant_message').map(({ id }) => id)).toEqual(['msg_1', 'msg_1-2'])
  expect(deltasOf(body).find((told) => told.type === 'tool_call_delta')).toMatchObject({ disposition: 'executed' })
})

test('what code printed is its result, and errors of tools are errors', () => {
  const of = (block: object): unknown =>
    factOf(
      factsOf(
        begin() + server(0, 's', 'tool', '{}') + start(1, { tool_use_id: 's', ...block }) + stop(1) + end('end_turn'),
      ),
      'tool_result',
    )
  expect(
    of({
      type: 'code_execution_tool_result',
      content: { type: 'code_execution_result', stdout: '4\n', stderr: '', return_code: 0, content: [] },
    }),
  ).toMatchObject({ is_error: false, content: [{ type: 'text', text: '4\n' }] })
  expect(
    of({
      type: 'web_search_tool_result',
      content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
    }),
  ).toMatchObject({ is_error: true, content: [{ type: 'text', text: 'max_uses_exceeded' }] })
  const mcp = of({ type: 'mcp_tool_result', is_error: true, content: [{ type: 'text', text: 'no' }] })
  expect(mcp).toMatchObject({ is_error: true, content: [{ type: 'text', text: 'no' }] })
  expect(mcp).not.toHaveProperty('data')
  expect(of({ type: 'mcp_tool_result', content: 'plain' })).toMatchObject({ content: [{ text: 'plain' }] })
})

test('two calls of one message have their results in any order', () => {
  const result = (index: number, id: string): string =>
    start(index, { type: 'mcp_tool_result', tool_use_id: id, is_error: false, content: [] }) + stop(index)
  const facts = factsOf(
    begin() +
      server(0, 'a', 'x', '{}') +
      server(1, 'b', 'x', '{}') +
      result(2, 'b') +
      result(3, 'a') +
      text(4, 'Both.') +
      end('end_turn'),
  )
  expect(facts.flatMap((fact) => (fact.type === 'tool_result' ? [fact.id] : []))).toEqual(['b', 'a'])
  expect(facts.filter(({ type }) => type === 'step_ended')).toHaveLength(2)
})

test('a server call without a result has one that says so, unless the client is waited for', () => {
  const paused = factsOf(begin() + server(0, 's', 'web_search', '{}') + end('pause_turn'))
  expect(factOf(paused, 'tool_result')).toMatchObject({ id: 's', is_error: true })
  expect(paused.at(-1)).toMatchObject({ exhausted: true, cause: { type: 'max_steps', code: 'pause_turn' } })
  const waits = factsOf(begin() + server(0, 's', 'code_execution', '{}') + call(1, 'c', 'look', '{}') + end('tool_use'))
  expect(factOf(waits, 'tool_result')).toBeUndefined()
  expect(waits.at(-1)).toMatchObject({ type: 'awaiting', pending: [{ tool_use_id: 'c', kind: 'client' }] })
})

test('a call of a server that is offered after all waits for the client, once', () => {
  const body =
    begin() +
    start(0, { type: 'mcp_tool_use', id: 'c', name: 'look', server_name: 'agent', input: { q: 1 } }) +
    stop(0) +
    call(1, 'c', 'look', '{"q":1}') +
    end('tool_use')
  expect(factsOf(body).filter(({ type }) => type === 'tool_call')).toHaveLength(1)
  expect(last(body)).toMatchObject({ type: 'awaiting', pending: [{ tool_use_id: 'c', kind: 'client' }] })
})

test('a result waits while a block of its message is still written', () => {
  const body =
    begin() +
    server(0, 's', 'x', '{}') +
    start(1, { type: 'tool_use', id: 'c', name: 'look', input: {} }) +
    start(2, { type: 'mcp_tool_result', tool_use_id: 's', is_error: false, content: [] }) +
    stop(2) +
    args(1, '{"q":1}') +
    stop(1) +
    end('tool_use')
  const facts = factsOf(body)
  expect(facts.find((fact) => fact.type === 'tool_call' && fact.id === 'c')).toMatchObject({ input: { q: 1 } })
  expect(facts.filter(({ type }) => type === 'tool_result')).toHaveLength(1)
})

// ── Ends ──

test.each([
  ['end_turn', { type: 'run_finished', exhausted: false, cause: { type: 'natural_end' } }],
  ['stop_sequence', { type: 'run_finished', exhausted: false, cause: { type: 'natural_end' } }],
  ['max_tokens', { type: 'run_finished', exhausted: true, cause: { type: 'max_steps', code: 'length' } }],
  [
    'model_context_window_exceeded',
    { type: 'run_finished', exhausted: true, cause: { type: 'max_steps', code: 'context_window' } },
  ],
  ['refusal', { type: 'run_finished', exhausted: false, cause: { type: 'blocked', reason: 'refusal' } }],
  ['pause_turn', { type: 'run_finished', exhausted: true, cause: { type: 'max_steps', code: 'pause_turn' } }],
  ['tool_use', { type: 'run_failed', code: 'missing_tool_calls' }],
  ['something_new', { type: 'run_failed', code: 'unknown_finish' }],
])('an answer that stops with %s', (reason, fact) => {
  expect(last(begin() + text(0, 'Hi.') + end(reason))).toMatchObject(fact)
})

test('an answer that says nothing is one, if it says that it is over', () => {
  expect(last(begin() + end('end_turn'))).toMatchObject({ type: 'run_finished' })
  expect(last(begin() + event('message_stop'))).toMatchObject({ type: 'run_failed', code: 'empty_stream' })
})

test('an error after the start keeps what was said, and its word', () => {
  const facts = factsOf(
    begin() + text(0, 'Hel') + event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  )
  expect(factOf(facts, 'assistant_message')?.content).toEqual([{ type: 'text', text: 'Hel' }])
  expect(facts.at(-1)).toEqual({ type: 'run_failed', code: 'overloaded_error', message: 'Overloaded' })
})

test('errors in other shapes are errors', () => {
  expect(last(`event: error\ndata: not json\n\n`)).toEqual({
    type: 'run_failed',
    code: 'provider_error',
    message: 'not json',
  })
  expect(last(`data: {"error":{"message":"no","code":"Bad-Key"}}\n\n`)).toMatchObject({
    code: 'bad_key',
    message: 'no',
  })
  expect(last(`event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n`)).toMatchObject({
    code: 'api_error',
    message: 'the provider reported an error without a message',
  })
})

test('a stream that is cut fails, and so does one that breaks', async () => {
  expect(last(begin() + text(0, 'Hel'))).toMatchObject({ type: 'run_failed', code: 'stream_truncated' })
  const events = await eventsOf(begin() + text(0, 'Hel'), {}, true)
  expect(events.at(-1)?.event).toMatchObject({ type: 'run_failed', code: 'stream_failed' })
})

test('a second start is ignored, unless it is that of another answer', () => {
  expect(last(begin() + begin() + text(0, 'a') + begin() + end('end_turn'))).toMatchObject({ type: 'run_finished' })
  expect(last(begin() + begin({ id: 'msg_2' }) + text(0, 'a') + end('end_turn'))).toMatchObject({
    type: 'run_finished',
  })
  expect(last(begin() + text(0, 'a') + begin({ id: 'msg_2' }) + end('end_turn'))).toMatchObject({
    type: 'run_failed',
    code: 'stream_malformed',
  })
})

test('what is not known is ignored: events, blocks, deltas, fields', () => {
  const body =
    begin({ container: { id: 'x' } }) +
    event('message_limit', { limit: 1 }) +
    'event: new_thing\ndata: [DONE]\n\n' +
    start(0, { type: 'hologram', light: 1 }) +
    delta(0, { type: 'text_delta', text: 'none of it' }) +
    delta(0, { type: 'light_delta', light: 2 }) +
    stop(0) +
    start(1, { type: 'text', text: '', citations: null }) +
    delta(1, { type: 'citations_delta', citation: { type: 'page_location' } }) +
    delta(1, { type: 'text_delta', text: 'Hi.' }) +
    stop(1) +
    end('end_turn')
  expect(factOf(factsOf(body), 'assistant_message')?.content).toEqual([{ type: 'text', text: 'Hi.' }])
})

test('events without their names are read by their types, and a line that is none fails the run', () => {
  const body = (begin() + text(0, 'Hi.') + end('end_turn')).replaceAll(/^event: .*\n/gm, '')
  expect(last(body)).toMatchObject({ type: 'run_finished' })
  expect(last('data: 7\n\n')).toMatchObject({ type: 'run_failed', code: 'stream_malformed' })
})

test('an answer that was not streamed is read the same', async () => {
  const whole = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', id: 'c', name: 'look', input: { q: 1 } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 5 },
  }
  const events = await eventsOf(`${JSON.stringify(whole)}\n`)
  const facts = events.flatMap(({ tier, event: told }) => (tier === 'fact' ? [told] : []))
  expect(factOf(facts, 'assistant_thinking')).toMatchObject({ text: 'Hm.', signature: 's' })
  expect(factOf(facts, 'assistant_message')).toMatchObject({ id: 'msg_1', content: [{ text: 'Hello' }] })
  expect(factOf(facts, 'inference_completed')).toMatchObject({ usage: { prompt_tokens: 3, completion_tokens: 5 } })
  expect(facts.at(-1)).toMatchObject({ type: 'awaiting', pending: [{ tool_use_id: 'c' }] })
})

// ── Usage ──

const counted = (start_: object, ...later: object[]): unknown =>
  factOf(
    factsOf(
      begin({ usage: start_ }) +
        text(0, 'Hi.') +
        later.map((usage) => event('message_delta', { delta: { stop_reason: null }, usage })).join('') +
        end('end_turn', {}),
    ),
    'inference_completed',
  )?.usage

test('usage is of the whole message wherever it stands, and later counts correct earlier ones', () => {
  expect(counted({ input_tokens: 43, output_tokens: 1 }, { input_tokens: 61, output_tokens: 2 })).toEqual({
    prompt_tokens: 61,
    completion_tokens: 2,
    total_tokens: 63,
  })
  expect(counted({ input_tokens: 3, output_tokens: 1 }, { output_tokens: 2 }, { output_tokens: 9 })).toMatchObject({
    prompt_tokens: 3,
    completion_tokens: 9,
  })
  expect(counted({ input_tokens: 3, output_tokens: 1 }, { input_tokens: 0, output_tokens: null })).toMatchObject({
    prompt_tokens: 3,
    completion_tokens: 1,
  })
})

test('the prompt includes what a cache had', () => {
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: 10,
    cache_read_input_tokens: 100,
    output_tokens: 7,
    output_tokens_details: { thinking_tokens: 5 },
  }
  expect(counted(usage)).toEqual({
    prompt_tokens: 113,
    completion_tokens: 7,
    total_tokens: 120,
    cache_read_tokens: 100,
    cache_creation_tokens: 10,
    thinking_tokens: 5,
  })
})

test('counts that are none, and zeros alone, count nothing', () => {
  expect(counted({ input_tokens: -1, output_tokens: 'many' })).toBeUndefined()
  expect(counted({ input_tokens: 0, output_tokens: 0 })).toBeUndefined()
})

test('the options name what the provider does not', async () => {
  const body = begin({ id: undefined, model: 7 }) + text(0, 'Hi.') + end('end_turn')
  const events = await eventsOf(body, { messageId: 'mine', durationMs: () => 12 })
  expect(events.map(({ event: told }) => told)).toContainEqual(
    expect.objectContaining({ type: 'inference_completed', duration_ms: 12, model: '' }),
  )
  expect(events.map(({ event: told }) => told)).toContainEqual(
    expect.objectContaining({ type: 'assistant_message', id: 'mine' }),
  )
})

test('an answer that ends without a reason is no success', () => {
  const body = begin() + text(0, 'Hello') + event('message_stop')
  expect(last(body)).toMatchObject({ type: 'run_failed', code: 'unknown_finish' })
})
