/** Items that are told of out of order, or under indexes that are not theirs. */
import { expect, test } from 'vitest'
import {
  added,
  body,
  called,
  created,
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

const message = { type: 'message', role: 'assistant', content: [] }

test('items that all have the same index are told apart', () => {
  const words = { item_id: 'msg_a', output_index: 0, content_index: 0 }
  const stream = [
    created,
    added(0, { id: 'rs_1', type: 'reasoning', summary: [] }),
    done(0, { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }),
    added(0, { ...message, id: 'msg_a' }),
    { ...text(0, 'Hel'), ...words },
    { ...text(0, 'lo '), ...words },
    { ...text(0, 'you'), ...words },
    done(0, said('msg_a', 'Hello you')),
    added(0, { ...message, id: 'msg_b' }),
    { ...text(0, 'Bye'), item_id: 'msg_b' },
    done(0, said('msg_b', 'Bye')),
    ended('completed'),
  ]
  expect(read(...stream)).toMatchObject({ texts: ['Hello you', 'Bye'], reasoning: 'Hm.' })
  expect(streamed(eventsOf(body(...stream))).text).toBe('Hello youBye')
})

test('a text without a beginning under the index of a thought is one text', () => {
  const pieces = Array.from({ length: 100 }, () => text(0, 'x'))
  const thought = added(0, { id: 'rs_1', type: 'reasoning', summary: [] })
  expect(read(created, thought, ...pieces, ended('completed')).texts).toEqual(['x'.repeat(100)])
})

test.each([true, false])('calls that all have the same index keep their arguments (ended one by one: %s)', (closed) => {
  const call = (id: string, args: string): StreamEvent[] => [
    added(0, called(id, '', { status: 'in_progress' })),
    { type: 'response.function_call_arguments.delta', output_index: 0, item_id: `fc_${id}`, delta: args },
    ...(closed ? [done(0, called(id, args))] : []),
  ]
  const { calls } = read(created, ...call('a', '{"a":1}'), ...call('b', '{"b":2}'), ended('completed'))
  expect(calls.map(({ id, input }) => [id, input])).toEqual([
    ['a', { a: 1 }],
    ['b', { b: 2 }],
  ])
})

const a = { ...message, id: 'msg_0' }
const b = { ...message, id: 'msg_1' }
const output = [said('msg_0', 'A1A2'), said('msg_1', 'B1B2')]
const search = {
  id: 'mcp_1',
  type: 'mcp_call',
  status: 'completed',
  name: 'search',
  arguments: '{"q":1}',
  output: 'wet',
}
const both = ['A1A2', 'B1B2']

test.each<[string, readonly StreamEvent[], readonly string[]]>([
  [
    'both are whole',
    [text(0, 'A2'), text(1, 'B2'), done(0, said('msg_0', 'A1A2')), ended('completed', { output })],
    both,
  ],
  ['the later ends first', [done(1, said('msg_1', 'B1B2')), done(0, said('msg_0', 'A1A2')), ended('completed')], both],
  ['none ends before the response', [text(1, 'B2'), ended('completed', { output })], both],
  ['none ends at all', [text(1, 'B2'), text(0, 'A2'), ended('completed')], both],
])('two messages that alternate come whole, one after the other, where %s', (_how, rest, texts) => {
  const events = eventsOf(body(created, added(0, a), text(0, 'A1'), added(1, b), text(1, 'B1'), ...rest))
  expect(summaryOf(events)).toMatchObject({ texts, end: 'natural_end' })
  expect(texts.join('').startsWith(streamed(events).text)).toBe(true)
})

test('messages that only the end of the response fills are all there', () => {
  expect(read(created, added(0, a), added(1, b), ended('completed', { output })).texts).toEqual(both)
})

test('a later message is shown as it is written once the earlier is over', () => {
  const begun = [created, added(0, a), text(0, 'A1'), added(1, b), text(1, 'B1'), done(0, said('msg_0', 'A1A2'))]
  expect(streamed(eventsOf(body(...begun))).text).toBe('A1A2B1')
  expect(streamed(eventsOf(body(...begun, text(1, 'B2')))).text).toBe('A1A2B1B2')
})

test('a text goes on around a call that the provider runs, and its result comes when the text is over', () => {
  const stream = [
    created,
    added(0, a),
    text(0, 'One '),
    added(1, { ...search, status: 'in_progress', arguments: '', output: null }),
    done(1, search),
    text(0, 'two.'),
    added(2, { ...message, id: 'msg_2' }),
    text(2, 'End'),
    done(0, said('msg_0', 'One two.')),
    done(2, said('msg_2', 'End')),
    ended('completed', { output: [said('msg_0', 'One two.'), search, said('msg_2', 'End')] }),
  ]
  const { texts, results, end } = read(...stream)
  expect([texts, results, end]).toEqual([
    ['One two.', 'End'],
    [{ id: 'mcp_1', text: 'wet', is_error: false }],
    'natural_end',
  ])
})

test('a stream that is cut keeps what waited for an earlier message', () => {
  const { texts, end } = read(created, added(0, a), text(0, 'A1'), added(1, b), text(1, 'B1'))
  expect([texts, end]).toEqual([['A1', 'B1'], 'failed: stream_truncated'])
})

test('words that come for a message that is over are a failure, and a repetition is none', () => {
  const begun = [created, added(0, a), done(0, said('msg_0', 'A1')), added(1, b), done(1, said('msg_1', 'B'))]
  const end = (words: string): string =>
    read(...begun, ended('completed', { output: [said('msg_0', words), said('msg_1', 'B')] })).end
  expect([end('A1'), end('A1A2')]).toEqual(['natural_end', 'failed: out_of_order'])
})

test('of three messages that alternate, the one whose turn it is is shown as it is written', () => {
  const c = added(2, { ...message, id: 'msg_2' })
  const begun = [created, added(0, a), added(1, b), c, text(2, 'C1'), text(1, 'B1'), text(0, 'A1'), text(2, 'C2')]
  const first = [...begun, done(0, said('msg_0', 'A1'))]
  expect(streamed(eventsOf(body(...first, text(1, 'B2')))).text).toBe('A1B1B2')
  const { texts, end } = read(...first, text(1, 'B2'), done(1, said('msg_1', 'B1B2')), ended('completed'))
  expect([texts, end]).toEqual([['A1', 'B1B2', 'C1C2'], 'natural_end'])
})

test('what is said in a later part of a message waits for the earlier part, so that it is the message', () => {
  const part = (content_index: number, delta: string): StreamEvent => ({ ...text(0, delta), content_index })
  const whole = (content_index: number, words: string): StreamEvent => ({
    type: 'response.output_text.done',
    output_index: 0,
    item_id: 'msg_0',
    content_index,
    text: words,
  })
  const parts = ['Aa', 'B', 'Cc'].map((words) => ({ type: 'output_text', text: words, annotations: [] }))
  const item = { ...message, id: 'msg_0', content: parts }
  const words = [part(0, 'A'), part(1, 'B'), part(2, 'C'), part(0, 'a'), whole(0, 'Aa'), part(2, 'c')]
  for (const end of [[whole(1, 'B'), whole(2, 'Cc'), done(0, item)], [done(0, item)], []]) {
    const events = eventsOf(
      body(created, added(0, { ...message, id: 'msg_0' }), ...words, ...end, ended('completed', { output: [item] })),
    )
    expect(summaryOf(events).texts).toEqual(['AaBCc'])
    expect(streamed(events).text).toBe('AaBCc')
  }
})

test('the parts of a summary come one after the other, whatever order they are told in', () => {
  const part = (summary_index: number, delta: string): StreamEvent => ({
    type: 'response.reasoning_summary_text.delta',
    output_index: 0,
    item_id: 'rs_1',
    summary_index,
    delta,
  })
  const item = {
    id: 'rs_1',
    type: 'reasoning',
    summary: ['Aa', 'B'].map((words) => ({ type: 'summary_text', text: words })),
  }
  const begun = added(0, { ...item, summary: [] })
  const events = eventsOf(
    body(created, begun, part(0, 'A'), part(1, 'B'), part(0, 'a'), done(0, item), ended('completed')),
  )
  expect(summaryOf(events).reasoning).toBe('Aa\n\nB')
  expect(events.flatMap(({ event }) => (event.type === 'reasoning_delta' ? [event.delta] : [])).join('')).toBe(
    'Aa\n\nB',
  )
})

test('arguments of white space alone are those of an empty object, and are kept as they came', () => {
  const item = called('a', ' \n')
  const stream = body(created, added(0, item), done(0, item), ended('completed', { output: [item] }))
  const calls = eventsOf(stream).flatMap(({ event }) => (event.type === 'tool_call' ? [event] : []))
  expect(calls).toMatchObject([{ input: {}, raw_input: ' \n', disposition: 'pending_client' }])
})

test('a second response in one stream is none of the first', () => {
  const other = { ...created, response: { ...created.response, id: 'resp_2' } }
  const one = [created, added(0, { ...message, id: 'msg_0' }), text(0, 'One.')]
  expect(read(...one, other, text(0, ' Two.'), ended('completed')).end).toBe('failed: stream_malformed')
  expect(read(...one, created, text(0, ' Two.'), ended('completed'))).toMatchObject({
    texts: ['One. Two.'],
    end: 'natural_end',
  })
  expect(read(created, other, ...one.slice(1), ended('completed')).end).toBe('natural_end')
})

test('messages whose items nobody ends are told one by one, where their texts are ended', () => {
  const told = (index: number, words: string): StreamEvent[] => [
    added(index, { ...message, id: `msg_${index}` }),
    text(index, words),
    { type: 'response.output_text.done', output_index: index, item_id: `msg_${index}`, content_index: 0, text: words },
  ]
  const begun = body(created, ...told(0, 'One.'), ...told(1, 'Two.'), ...told(2, 'Three.'))
  // What is there before the end.
  expect(streamed(eventsOf(begun)).text).toBe('One.Two.Three.')
  expect(summaryOf(eventsOf(begun + body(ended('completed')))).texts).toEqual(['One.', 'Two.', 'Three.'])
})
