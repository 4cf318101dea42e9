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
  said,
  type StreamEvent,
  streamed,
  summaryOf,
  text,
} from './streams.ts'

const read = (...events: readonly StreamEvent[]): ReturnType<typeof summaryOf> => summaryOf(eventsOf(body(...events)))
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
