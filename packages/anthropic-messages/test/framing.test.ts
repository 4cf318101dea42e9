import fc from 'fast-check'
import { expect, test } from 'vitest'
import { framing, transcoder } from '../src/index.ts'
import { CLIENTS, readFinal, told } from './client.ts'
import { bodyOf, play, RUN } from './scene.ts'

test('every event has its name, without which a client skips it', () => {
  const body = bodyOf(play((run) => [run.text('Hi.'), run.end()]))
  for (const part of body.trimEnd().split('\n\n')) {
    const [name, data, ...more] = part.split('\n')
    expect(more).toEqual([])
    expect(name).toBe(`event: ${(JSON.parse(data?.slice('data: '.length) ?? '') as { type: string }).type}`)
  }
})

test.each(CLIENTS.map((kind) => [told(kind), kind] as const))(
  '%s: signs of life anywhere change nothing',
  async (_name, kind) => {
    const body = bodyOf(play((run) => [run.text('Hel'), run.text('lo'), run.end()]))
    const idle = body.replaceAll('event: ', `${framing.heartbeat}event: `)
    const { content, error, warnings } = await readFinal(idle, kind)
    expect({ content, error, warnings }).toEqual({ content: [{ type: 'text', text: 'Hello' }], warnings: [] })
  },
)

test('a piece is written as JSON writes it, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (content) => {
      const target = transcoder(RUN)
      target.fact({ type: 'run_started' })
      for (const frame of target.delta({ type: 'text_delta', delta: `${content}x` })) {
        const text = framing.text(frame)
        expect(JSON.parse(text.slice(text.indexOf('data: ') + 'data: '.length))).toEqual({ ...frame })
        expect(text).not.toMatch(/[\u2028\u2029\u0085]/)
      }
    }),
    { seed: 1, numRuns: 300 },
  )
})

const parse = (data: string, event?: string): unknown =>
  framing.parse({ data, ...(event === undefined ? {} : { event }) })

test.each([
  ['an event by its name', '{"type":"message_stop"}', 'message_stop', { type: 'message_stop' }],
  ['one without a name, by its type', '{"type":"message_stop"}', undefined, { type: 'message_stop' }],
  ['one without a type, by its name', '{}', 'message_stop', { type: 'message_stop' }],
  ['a ping', '{"type": "ping"}', 'ping', undefined],
  ['an event that is not known, whatever is in it', '[DONE]', 'new_thing', undefined],
  ['a type that is not known', '{"type":"new_thing"}', undefined, undefined],
  ['the end mark of another wire', '[DONE]', undefined, undefined],
  ['nothing', '  ', undefined, undefined],
  ['null', 'null', undefined, undefined],
  ['an error of another shape', '{"error":{"message":"no"}}', undefined, { type: 'error', error: { message: 'no' } }],
  ['an error that is text', 'no', 'error', { type: 'error', error: 'no' }],
])('reads %s', (_name, data, event, frame) => {
  expect(parse(data, event)).toEqual(frame)
})

test('a line outside the grammar is a whole answer or an error, or nothing at all', () => {
  const line = (data: string): unknown => framing.parse({ data, stray: true })
  expect(line('{"type":"error","error":{"type":"api_error","message":"no"}}')).toMatchObject({ type: 'error' })
  expect(line('retry-later: 3')).toBeUndefined()
  expect(() => line('<html>')).toThrow('markup')
  expect(() => line('Bad Gateway')).toThrow('no event')
  expect(() => parse('{"type":')).toThrow('JSON')
})
