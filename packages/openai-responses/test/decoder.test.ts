import { expect, test } from 'vitest'
import { openaiResponses } from '../src/index.ts'
import {
  added,
  body,
  called,
  created,
  data,
  done,
  ended,
  eventsOf,
  read,
  said,
  type StreamEvent,
  streamed,
  summaryOf,
  text,
} from './streams.ts'

const message = { id: 'msg_0', type: 'message', role: 'assistant', content: [] }

test('says a text once that comes five times', () => {
  const whole = 'Hello there.'
  const part = { item_id: 'msg_0', output_index: 0, content_index: 0 }
  const stream = [
    created,
    added(0, message),
    { type: 'response.content_part.added', ...part, part: { type: 'output_text', text: '' } },
    text(0, 'Hello'),
    text(0, ' there.'),
    { type: 'response.output_text.done', ...part, text: whole },
    { type: 'response.content_part.done', ...part, part: { type: 'output_text', text: whole } },
    done(0, said('msg_0', whole)),
    ended('completed', { output: [said('msg_0', whole)] }),
  ]
  const events = eventsOf(body(...stream))
  expect(streamed(events).text).toBe(whole)
  expect(summaryOf(events)).toMatchObject({ texts: [whole], end: 'natural_end' })
})

test('takes what only the last event has', () => {
  const output = [said('msg_0', 'Hi.'), called('call_1', '{"city":"Oslo"}')]
  const { texts, calls, waits } = read(created, ended('completed', { output }))
  expect(texts).toEqual(['Hi.'])
  expect(calls).toEqual([{ id: 'call_1', name: 'look_up', input: { city: 'Oslo' }, by: 'pending_client' }])
  expect(waits).toEqual(['client call_1'])
})

test('keeps what was streamed where the last event has nothing', () => {
  expect(read(created, added(0, message), text(0, 'Hi.'), ended('completed'))).toMatchObject({
    texts: ['Hi.'],
    end: 'natural_end',
  })
})

test('a text that was never begun is text all the same', () => {
  expect(read(created, text(0, 'Hi'), text(0, '.'), ended('completed'))).toMatchObject({ texts: ['Hi.'] })
})

test('the whole counts where the fragments say something else', () => {
  const events = eventsOf(
    body(created, added(0, message), text(0, 'wrong'), done(0, said('msg_0', 'right')), ended('completed')),
  )
  expect(streamed(events).text).toBe('wrong')
  expect(summaryOf(events).texts).toEqual(['right'])
})

test('what is left of an item comes as one more fragment', () => {
  const events = eventsOf(
    body(created, added(0, message), text(0, 'Hel'), done(0, said('msg_0', 'Hello')), ended('completed')),
  )
  expect(streamed(events).text).toBe('Hello')
})

test('arguments of two calls that alternate are told apart by their index', () => {
  const call = (id: string, args: string): object => called(id, args, { status: 'in_progress' })
  const piece = (output_index: number, delta: string): StreamEvent => ({
    type: 'response.function_call_arguments.delta',
    output_index,
    item_id: 'rotating',
    delta,
  })
  const stream = [
    created,
    added(0, call('a', '')),
    added(1, call('b', '')),
    piece(0, '{"n":'),
    piece(1, '{"n":'),
    piece(0, '1}'),
    piece(1, '2}'),
    done(0, called('a', '{"n":1}')),
    done(1, called('b', '{"n":2}')),
    ended('completed'),
  ]
  const events = eventsOf(body(...stream))
  expect(streamed(events).args).toEqual({ a: '{"n":1}', b: '{"n":2}' })
  expect(summaryOf(events).waits).toEqual(['client a', 'client b'])
})

test('a call whose arguments are no JSON has its result at once, and is not waited for', () => {
  const { calls, results, waits, end } = read(
    created,
    done(0, called('a', '{"n":')),
    done(1, called('b', '{}')),
    ended('completed'),
  )
  expect(calls.map(({ id, by }) => [id, by])).toEqual([
    ['a', 'executed'],
    ['b', 'pending_client'],
  ])
  expect(results).toEqual([
    { id: 'a', text: 'No result: the arguments of the call are not valid JSON.', is_error: true },
  ])
  expect([waits, end]).toEqual([['client b'], 'awaiting'])
})

test.each(['12', '{"n":1}'])('a call that is incomplete in a complete response is run by nobody (%s)', (args) => {
  const cut = called('a', args, { status: 'incomplete' })
  const { calls, results, waits, end } = read(created, done(0, cut), ended('completed', { output: [cut] }))
  expect(calls.map(({ id, by }) => [id, by])).toEqual([['a', 'executed']])
  expect(results).toEqual([{ id: 'a', text: 'No result: the call is incomplete.', is_error: true }])
  expect([waits, end]).toEqual([[], 'awaiting'])
})

test('an answer that was cut has no call that could be run', () => {
  const { calls, results, end } = read(
    created,
    added(0, called('a', '', { status: 'in_progress' })),
    { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc_a', delta: '{"n":1}' },
    ended('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
  )
  expect(calls.map(({ by }) => by)).toEqual(['executed'])
  expect([results.length, end]).toEqual([1, 'max_steps'])
})

test.each([
  ['max_output_tokens', 'max_steps'],
  ['content_filter', 'blocked'],
  ['steered', 'stopped'],
  ['something new', 'failed: unknown_finish'],
])('a response that is incomplete because of %s ends as %s', (reason, end) => {
  expect(read(created, text(0, 'a'), ended('incomplete', { incomplete_details: { reason } })).end).toBe(end)
})

test('a refusal is what the assistant says, and no success', () => {
  const refusal = {
    type: 'response.refusal.delta',
    output_index: 0,
    item_id: 'msg_0',
    content_index: 0,
    delta: 'No.',
  }
  expect(read(created, added(0, message), refusal, ended('completed'))).toMatchObject({
    texts: ['No.'],
    end: 'blocked',
  })
})

test.each([
  ['flat', { type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null }],
  ['nested', { type: 'error', error: { type: 'requests', code: 'rate_limit_exceeded', message: 'slow down' } }],
  ['as a failed response', ended('failed', { error: { code: 'rate_limit_exceeded', message: 'slow down' } })],
])('reads an error that is told %s', (_how, event) => {
  const { texts, end } = read(created, text(0, 'Hel'), event)
  expect([texts, end]).toEqual([['Hel'], 'failed: rate_limit_exceeded'])
})

test('an error body, a bare error and a page are failures', () => {
  expect(summaryOf(eventsOf('data: {"error":{"message":"no key","code":"no_key"}}\n\n')).end).toBe('failed: no_key')
  expect(summaryOf(eventsOf('event: error\ndata: gone\n\n')).end).toBe('failed: provider_error')
  expect(() => openaiResponses.framing.parse({ data: '<html>', stray: true })).toThrow(/markup/)
})

test('a stream without its end is a failure, whatever came before', () => {
  expect(read(created, added(0, message), text(0, 'Hi.'), done(0, said('msg_0', 'Hi.'))).end).toBe(
    'failed: stream_truncated',
  )
  expect(summaryOf(eventsOf(`${data(created)}data: [DONE]\n\n`)).end).toBe('failed: stream_truncated')
  expect(summaryOf(eventsOf('')).end).toBe('failed: empty_stream')
})

test('reads a whole answer that was not streamed', () => {
  const whole = { ...created.response, status: 'completed', output: [said('msg_0', 'Hi.')] }
  const frame = openaiResponses.framing.parse({ data: JSON.stringify(whole), stray: true })
  const decoder = openaiResponses.decoder()
  const [, commit] = frame === undefined ? [] : decoder.push(frame).filter((item) => 'messages' in item)
  expect(commit).toMatchObject({
    messages: [{ content: [{ text: 'Hi.' }] }],
    state: { cause: { type: 'natural_end' } },
  })
})

test('events and items that nobody knows say nothing', () => {
  const { texts, end } = read(
    { type: 'keepalive' },
    created,
    { type: 'acme:state', value: 1 },
    added(0, { id: 'x', type: 'acme_thing' }),
    text(1, 'Hi.'),
    done(0, { id: 'x', type: 'acme_thing' }),
    ended('completed'),
  )
  expect([texts, end]).toEqual([['Hi.'], 'natural_end'])
})

test('what the provider has run is a call with its result, and what is said after it is another message', () => {
  const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'rain' } }
  const ran = {
    ...called('x', '{"q":1}'),
    id: 'mcp_1',
    type: 'mcp_call',
    server_label: 's',
    output: 'wet',
    error: null,
  }
  const failed = {
    ...ran,
    id: 'mcp_2',
    output: null,
    error: { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: 'no' }] },
  }
  const { call_id: _, ...one } = { call_id: '', ...ran }
  const { call_id: __, ...two } = { call_id: '', ...failed }
  const { texts, calls, results, end } = read(
    created,
    done(0, said('msg_0', 'Let me look.')),
    done(1, search),
    done(2, one),
    done(3, two),
    done(4, said('msg_4', 'It rains.')),
    ended('completed'),
  )
  expect(texts).toEqual(['Let me look.', 'It rains.'])
  expect(calls.map(({ id, name, by }) => [id, name, by])).toEqual([
    ['ws_1', 'web_search', 'executed'],
    ['mcp_1', 'look_up', 'executed'],
    ['mcp_2', 'look_up', 'executed'],
  ])
  expect(results.map((result) => [result.text, result.is_error])).toEqual([
    ['', false],
    ['wet', false],
    ['no', true],
  ])
  expect(end).toBe('natural_end')
})

test('encrypted reasoning keeps the id that it goes back under', () => {
  const item = {
    id: 'rs_1',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'hm' }],
    encrypted_content: 'x',
  }
  const events = eventsOf(body(created, done(0, item), done(1, said('msg_1', 'Hi.')), ended('completed')))
  expect(events.find(({ event }) => event.type === 'assistant_thinking')?.event).toMatchObject({
    text: 'hm',
    signature: 'rs_1',
    encrypted: 'x',
  })
})

test('a call id that the thread has already is another one', () => {
  const stream = body(created, done(0, called('a', '{}')), done(1, called('a', '{}')), ended('completed'))
  expect(summaryOf(eventsOf(stream, { usedCallIds: ['a'] })).waits).toEqual(['client a-2', 'client a-3'])
})

test('a text whose part has the index of its item is said once', () => {
  const part = { item_id: 'msg_1', output_index: 1, content_index: 1 }
  const stream = [
    created,
    done(0, { id: 'rs_1', type: 'reasoning', summary: [] }),
    added(1, { ...message, id: 'msg_1' }),
    { ...text(1, 'Hey'), ...part },
    { type: 'response.output_text.done', ...part, text: 'Hey' },
    done(1, said('msg_1', 'Hey')),
    ended('completed', { output: [said('msg_1', 'Hey')] }),
  ]
  expect(read(...stream).texts).toEqual(['Hey'])
  expect(streamed(eventsOf(body(...stream))).text).toBe('Hey')
})

test('a call that a provider would make if somebody agreed is asked about, and not made', () => {
  const asks = { id: 'mcpr_1', type: 'mcp_approval_request', name: 'roll', arguments: '{"sides":6}', server_label: 'd' }
  const { calls, results, waits, end } = read(created, added(0, asks), done(0, asks), ended('completed'))
  expect(calls).toEqual([{ id: 'mcpr_1', name: 'roll', input: { sides: 6 }, by: 'pending_builtin' }])
  expect([results, waits, end]).toEqual([[], ['approval mcpr_1'], 'awaiting'])
})

test.each([
  ['was cut', ended('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }), 'max_steps'],
  ['failed', ended('failed', { error: { code: 'server_error', message: 'gone' } }), 'failed: server_error'],
])('nobody is asked about a call of an answer that %s', (_how, last, end) => {
  const asks = { id: 'mcpr_1', type: 'mcp_approval_request', name: 'roll', arguments: '{}', server_label: 'd' }
  const summary = read(created, done(0, asks), last)
  expect(summary).toMatchObject({ waits: [], end, results: [{ id: 'mcpr_1', is_error: true }] })
})
