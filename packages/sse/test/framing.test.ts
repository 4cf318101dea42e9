import { parseJson, text } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { framing } from '../src/framing.ts'
import type { FlatEvent } from '../src/wire.ts'

test('the response is an event stream that nobody buffers', () => {
  expect(framing.mediaType).toBe('text/event-stream')
  expect(framing.headers).toEqual({ 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' })
  expect(framing.heartbeat).toBe(': heartbeat\n')
})

test('a frame with a number has an id, and 0 is one', () => {
  const frame: FlatEvent = { event_type: 'step_end' }
  expect(framing.text(frame, 0)).toBe('id: 0\ndata: {"event_type":"step_end"}\n\n')
  expect(framing.text(frame)).toBe('data: {"event_type":"step_end"}\n\n')
})

test('a group carries its number on the last frame', () => {
  expect(text(framing, [{ event_type: 'step_end' }, { event_type: 'text_delta', delta: 'a' }], 5)).toBe(
    'data: {"event_type":"step_end"}\n\nid: 5\ndata: {"event_type":"text_delta","delta":"a"}\n\n',
  )
})

test('the templates of fragments print what JSON prints, on one line', () => {
  const any = fc.string({ unit: 'binary', size: 'medium' })
  const awkward = fc.constantFrom('\u2028', '\u2029', '\u0085', '\ud800', 'a\udc00', '"', '\\', '\n', '\r', '\0', '😀')
  const fragment = fc.oneof(any, awkward)
  const frame: fc.Arbitrary<FlatEvent> = fc.oneof(
    fragment.map((delta) => ({ event_type: 'text_delta', delta }) as const),
    fragment.map((delta) => ({ event_type: 'reasoning_delta', delta }) as const),
    fc
      .tuple(fragment, fragment)
      .map(([id, args_delta]) => ({ event_type: 'tool_call_delta', id, args_delta }) as const),
  )
  fc.assert(
    fc.property(frame, (event) => {
      const written = framing.text(event)
      const json = written.slice('data: '.length, -2)
      expect(json).not.toMatch(/[\u0085\u2028\u2029\r\n]/)
      expect(JSON.stringify(parseJson(json))).toBe(JSON.stringify(event))
      expect(framing.parse({ data: json })).toEqual(event)
    }),
    { seed: 1, numRuns: 1000 },
  )
})

test('line breaks that JSON allows are escaped in every frame', () => {
  expect(framing.text({ event_type: 'error', message: 'a\u2028b\u2029c\u0085d' })).toBe(
    'data: {"event_type":"error","message":"a\\u2028b\\u2029c\\u0085d"}\n\n',
  )
})

test('an empty message, an unknown event and a line outside the grammar say nothing', () => {
  expect(framing.parse({ data: '' })).toBeUndefined()
  expect(framing.parse({ data: '{"event_type":"later"}' })).toBeUndefined()
  expect(framing.parse({ data: 'foo: bar', stray: true })).toBeUndefined()
})

test('a bare line of JSON is an event, too', () => {
  expect(framing.parse({ data: '{"event_type":"step_end"}', stray: true })).toEqual({ event_type: 'step_end' })
})

test('what a server says instead of events is an error with its words', () => {
  expect(() => framing.parse({ data: '{"error":"thread not found: x"}', stray: true })).toThrow(
    expect.objectContaining({ code: 'source_failed', message: 'thread not found: x' }),
  )
})

test('what is no event is refused', () => {
  expect(() => framing.parse({ data: '{"event_type":' })).toThrow(expect.objectContaining({ code: 'malformed_json' }))
  expect(() => framing.parse({ data: '[DONE]' })).toThrow(expect.objectContaining({ code: 'malformed_json' }))
  expect(() => framing.parse({ data: '"hi"' })).toThrow(expect.objectContaining({ code: 'invalid_value' }))
  const deep = `{"event_type":"state_snapshot","snapshot":${'['.repeat(200)}${']'.repeat(200)}}`
  expect(() => framing.parse({ data: deep })).toThrow(expect.objectContaining({ code: 'too_deep' }))
})
