import { decode } from '@ag-ui/proto'
import { HttpAgent } from '@ag-ui/client'
import { FactwireError } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { negotiate, protoFraming } from '../src/proto.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { finished, started, text } from './decoded.ts'
import { everyEvent } from './every-event.ts'

test.each(everyEvent)('the official decoder reads $type', (event) => {
  const frame = protoFraming.bytes(event)
  const length = new DataView(frame.buffer, frame.byteOffset).getUint32(0)
  expect(length).toBe(frame.length - 4)
  expect(decode(frame.subarray(4))).toEqual(event)
})

test('every event comes back, however the bytes are cut', () => {
  const frames = everyEvent.map(protoFraming.bytes)
  const bytes = new Uint8Array(frames.reduce((size, frame) => size + frame.length, 0))
  let at = 0
  for (const frame of frames) {
    bytes.set(frame, at)
    at += frame.length
  }
  fc.assert(
    fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 40 }), (cuts) => {
      const reader = protoFraming.reader()
      const borders = [0, ...cuts.toSorted((one, other) => one - other), bytes.length]
      const events = borders.slice(1).flatMap((end, index) => reader.push(bytes.subarray(borders[index], end)))
      reader.end()
      expect(events).toEqual(everyEvent)
    }),
    { seed: 1, numRuns: 50 },
  )
})

test('the official client reads the frames', async () => {
  const frames = [started, ...text('m', 'Hello'), finished].map(protoFraming.bytes)
  const body = new Blob(frames.map((frame) => frame.slice()))
  const agent = new HttpAgent({
    url: 'http://agent.test/',
    threadId: 'th',
    fetch: async () => new Response(body.stream(), { headers: { 'content-type': protoFraming.mediaType } }),
  })
  await agent.runAgent({ runId: 'ru' })
  expect(agent.messages).toEqual([{ id: 'm', role: 'assistant', content: 'Hello' }])
})

function pushed(bytes: readonly number[], options?: Parameters<typeof protoFraming.reader>[0]): readonly AgUiEvent[] {
  const reader = protoFraming.reader(options)
  const events = reader.push(Uint8Array.from(bytes))
  reader.end()
  return events
}

test.each<[string, readonly number[], string]>([
  ['a frame without a message', [0, 0, 0, 0], 'malformed_frame'],
  ['a frame that is no event', [0, 0, 0, 2, 0xff, 0xff], 'malformed_frame'],
  ['a frame that is too large', [0xff, 0, 0, 0], 'too_large'],
  ['half a prefix', [0, 0], 'truncated'],
  ['half a frame', [0, 0, 0, 9, 1], 'truncated'],
])('%s is refused', (_, bytes, code) => {
  expect(() => pushed(bytes)).toThrow(FactwireError)
  expect(() => pushed(bytes)).toThrow(expect.objectContaining({ code }))
})

test('an event of a later protocol is dropped, and told', () => {
  // Arm 99 with an empty message, and then one that is known.
  const unknown: string[] = []
  const later = [0, 0, 0, 3, 0x9a, 0x06, 0x00]
  const frame = [...protoFraming.bytes(started)]
  expect(pushed([...later, ...frame], { onUnknown: (path) => unknown.push(path) })).toEqual([started])
  expect(unknown).toEqual(['type'])
})

const PROTO = 'application/vnd.ag-ui.event+proto'

test.each<[string | null, 'sse' | 'proto']>([
  [null, 'sse'],
  ['', 'sse'],
  ['*/*', 'sse'],
  ['application/*', 'sse'],
  ['application/json', 'sse'],
  ['text/event-stream', 'sse'],
  ['text/event-stream, */*;q=0.1', 'sse'],
  [PROTO, 'proto'],
  [PROTO.toUpperCase(), 'proto'],
  [`${PROTO}, text/event-stream`, 'proto'],
  [`text/event-stream,${PROTO}`, 'proto'],
  [`${PROTO};q=0.9, text/event-stream;q=0.5`, 'proto'],
  [`${PROTO}; q=0.5, text/event-stream`, 'sse'],
  [`text/event-stream;q=1, ${PROTO};q=0.1`, 'sse'],
  [`${PROTO};q=0`, 'sse'],
  [`${PROTO};q=nonsense`, 'sse'],
  [`${PROTO};q=0.5, */*`, 'proto'],
])('who accepts %j gets %s', (accept, form) => {
  expect(negotiate(accept)).toBe(form)
})
