import { FactwireError, type WireMessage } from '@factwire/core'
import { readSse } from '@factwire/sse'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '@factwire/conformance'
import { createFraming, framing } from '../src/index.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { type ClientVersion, readWith } from './client.ts'
import { everyEvent } from './every-event.ts'

const run: readonly AgUiEvent[] = [
  { type: 'RUN_STARTED', threadId: 'th', runId: 'ru' },
  { type: 'REASONING_MESSAGE_START', messageId: 'r', role: 'reasoning' },
  { type: 'REASONING_MESSAGE_CONTENT', messageId: 'r', delta: 'Hm\u2028m' },
  { type: 'REASONING_MESSAGE_END', messageId: 'r' },
  { type: 'TEXT_MESSAGE_START', messageId: 'm"1', role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm"1', delta: 'Line\nbreak\r\n\n' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm"1', delta: '\u0085é🤖' },
  { type: 'TEXT_MESSAGE_END', messageId: 'm"1' },
  { type: 'TOOL_CALL_START', toolCallId: 'c\\1', toolCallName: 'sum', parentMessageId: 'm"1' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'c\\1', delta: '{"a":"\\n"}' },
  { type: 'TOOL_CALL_END', toolCallId: 'c\\1' },
  { type: 'TOOL_CALL_RESULT', messageId: 't', toolCallId: 'c\\1', content: '3', metadata: { factwire: { data: 3 } } },
  { type: 'STATE_SNAPSHOT', snapshot: { a: null } },
  { type: 'RUN_FINISHED', threadId: 'th', runId: 'ru' },
]

const messages = [
  { id: 'r', role: 'reasoning', content: 'Hm\u2028m' },
  {
    id: 'm"1',
    role: 'assistant',
    content: 'Line\nbreak\r\n\n\u0085é🤖',
    toolCalls: [{ id: 'c\\1', type: 'function', function: { name: 'sum', arguments: '{"a":"\\n"}' } }],
  },
  { id: 't', role: 'tool', toolCallId: 'c\\1', content: '3', metadata: { factwire: { data: 3 } } },
]

const versions: readonly ClientVersion[] = ['1.0', '0.0.59']

test.each(versions)(
  'the official client %s reads the frames, numbered and with heartbeats between',
  async (version) => {
    const body = run.map((event, seq) => framing.heartbeat.repeat(seq % 3) + framing.text(event, seq)).join('')
    const view = await readWith(body + framing.heartbeat, [], version)
    expect(view.rejected).toBeUndefined()
    expect(view.warnings).toEqual([])
    expect(view.messages).toEqual(messages)
    expect(view.state).toEqual({ a: null })
    expect(view.ends).toHaveLength(1)
  },
)

test('a frame is one line of data, with its number before it', () => {
  const event: AgUiEvent = { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'a\nb' }
  const json = '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\\nb"}'
  expect(framing.text(event)).toBe(`data: ${json}\n\n`)
  expect(framing.text(event, 7)).toBe(`id: 7\ndata: ${json}\n\n`)
})

async function read(chunks: Iterable<Uint8Array>): Promise<AgUiEvent[]> {
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    yield* chunks
  }
  const events: AgUiEvent[] = []
  for await (const message of readSse(bytes())) {
    const event = framing.parse(message)
    if (event) events.push(event)
  }
  return events
}

test('every event comes back, however the bytes are cut', async () => {
  const bytes = new TextEncoder().encode(everyEvent.map((event) => framing.text(event)).join(framing.heartbeat))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 30 }), async (cuts) => {
      const borders = [0, ...cuts.toSorted((one, other) => one - other), bytes.length]
      const chunks = borders.slice(1).map((end, index) => bytes.subarray(borders[index], end))
      expect(await read(chunks)).toEqual(everyEvent)
    }),
    { seed: 1, numRuns: 60 },
  )
})

test('fragments are escaped like everything else, their ids too', () => {
  fc.assert(
    fc.property(anyText, anyText, (id, delta) => {
      const events: readonly AgUiEvent[] = [
        { type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta },
        { type: 'REASONING_MESSAGE_CONTENT', messageId: id, delta },
        { type: 'TOOL_CALL_ARGS', toolCallId: id, delta },
      ]
      for (const event of events) {
        const text = framing.text(event)
        expect(text).toMatch(/^data: [^\r\n\u0085\u2028\u2029]*\n\n$/)
        expect(JSON.parse(text.slice('data: '.length))).toEqual(JSON.parse(JSON.stringify(event)))
      }
    }),
    { seed: 1, numRuns: 500 },
  )
})

test.each([{ timestamp: 1 }, { rawEvent: { a: 1 } }, { metadata: { a: 1 } }, { subagentRunId: 's' }])(
  'a fragment with %j loses nothing',
  (more) => {
    const event: AgUiEvent = { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'x', ...more }
    expect(JSON.parse(framing.text(event).slice('data: '.length))).toEqual(event)
  },
)

test.each<[string, WireMessage]>([
  ['nothing', { data: '' }],
  ['the mark that other wires end with', { data: '[DONE]' }],
  ['a line that is no SSE', { data: '<html>', stray: true }],
  ['an event that is not known', { data: '{"type":"FANCY"}' }],
])('%s says nothing', (_, message) => {
  expect(framing.parse(message)).toBeUndefined()
})

test('an event on a bare line is an event', () => {
  expect(framing.parse({ data: '{"type":"TEXT_MESSAGE_END","messageId":"m"}', stray: true })).toEqual({
    type: 'TEXT_MESSAGE_END',
    messageId: 'm',
  })
})

test.each([
  ['{"type":', 'malformed_json'],
  ['null', 'invalid_value'],
  ['{}', 'invalid_value'],
  ['{"error":"no such thread"}', 'source_failed'],
  ['{"error":{"message":"no such thread"}}', 'source_failed'],
])('%s is no event', (data, code) => {
  expect(() => framing.parse({ data })).toThrow(FactwireError)
  expect(() => framing.parse({ data })).toThrow(expect.objectContaining({ code }))
})

test('whoever asks is told what was dropped', () => {
  const dropped: [string, unknown][] = []
  const asking = createFraming({ onUnknown: (path, value) => dropped.push([path, value]) })
  asking.parse({ data: '{"type":"FANCY"}' })
  asking.parse({ data: '{"type":"TEXT_MESSAGE_END","messageId":"m","mood":"good"}' })
  expect(dropped).toEqual([
    ['type', 'FANCY'],
    ['mood', 'good'],
  ])
})
