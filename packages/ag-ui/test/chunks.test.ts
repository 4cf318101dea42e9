import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChunks } from '../src/chunks.ts'
import type { AgUiEvent, ReasoningMessageChunkEvent, TextMessageChunkEvent, ToolCallChunkEvent } from '../src/wire.ts'
import { clientView } from './client.ts'
import { brief, decoded, finished, result, started, text } from './decoded.ts'

const textChunk = (chunk: Omit<TextMessageChunkEvent, 'type'>): AgUiEvent => ({ type: 'TEXT_MESSAGE_CHUNK', ...chunk })
const toolChunk = (chunk: Omit<ToolCallChunkEvent, 'type'>): AgUiEvent => ({ type: 'TOOL_CALL_CHUNK', ...chunk })
const thoughtChunk = (chunk: Omit<ReasoningMessageChunkEvent, 'type'>): AgUiEvent => ({
  type: 'REASONING_MESSAGE_CHUNK',
  ...chunk,
})

function expanded(events: readonly AgUiEvent[]): readonly AgUiEvent[] {
  const chunks = createChunks()
  return events.flatMap((event) => chunks.expand(event) ?? [])
}

test('a first chunk opens, the next go on, and what follows closes', () => {
  expect(
    expanded([
      started,
      textChunk({ messageId: 'm', delta: 'Hel', metadata: { a: 1 } }),
      textChunk({ delta: 'lo' }),
      toolChunk({ toolCallId: 'c', toolCallName: 'search', parentMessageId: 'm' }),
      toolChunk({ delta: '{}' }),
      finished,
    ]),
  ).toEqual([
    started,
    { type: 'TEXT_MESSAGE_START', messageId: 'm', metadata: { a: 1 } },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Hel', metadata: { a: 1 } },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'lo' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm' },
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'search', parentMessageId: 'm' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c' },
    finished,
  ])
})

test('each subagent has a lane of its own', () => {
  expect(
    expanded([
      textChunk({ messageId: 'm', delta: '1' }),
      textChunk({ messageId: 'n', delta: 'A', subagentRunId: 's' }),
      textChunk({ delta: '2' }),
      { type: 'CUSTOM', name: 'x', value: 1, subagentRunId: 's' },
      textChunk({ delta: '3' }),
      { type: 'RAW', event: 1 },
      textChunk({ delta: '4' }),
    ]).map(({ type }) => type),
  ).toEqual([
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'CUSTOM',
    'TEXT_MESSAGE_CONTENT',
    'RAW',
    'TEXT_MESSAGE_CONTENT',
  ])
})

const anyChunk: fc.Arbitrary<readonly AgUiEvent[]> = fc.oneof(
  fc
    .record({ id: fc.constantFrom('m', 'n'), delta: fc.constantFrom('a', 'b', '') })
    .map(({ id, delta }) => [textChunk({ messageId: id, delta }), textChunk({ delta: '.' })]),
  fc.constantFrom('r', 'q').map((id) => [thoughtChunk({ messageId: id, delta: 'h' }), thoughtChunk({ delta: 'm' })]),
  fc
    .constantFrom('c', 'd')
    .map((id) => [
      toolChunk({ toolCallId: id, toolCallName: 'search', parentMessageId: 'm', delta: '{' }),
      toolChunk({ delta: '}' }),
    ]),
  fc.constantFrom<readonly AgUiEvent[]>(
    [{ type: 'CUSTOM', name: 'x', value: 1 }],
    [{ type: 'RAW', event: 1 }],
    [{ type: 'STATE_SNAPSHOT', snapshot: 1 }],
    text('w', 'whole'),
  ),
)

test('the official client ends with the same from chunks as from what they are expanded to', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyChunk, { maxLength: 8 }), async (parts) => {
      const events = [started, ...parts.flat(), finished]
      const chunks = await clientView(events)
      expect(chunks.rejected).toBeUndefined()
      const whole = await clientView(expanded(events))
      expect(whole.rejected).toBeUndefined()
      expect(whole.messages).toEqual(chunks.messages)
    }),
    { seed: 1, numRuns: 100 },
  )
})

test.each<[string, readonly AgUiEvent[], readonly string[]]>([
  [
    'calls whose fragments alternate by id alone',
    [
      toolChunk({ toolCallId: 'a', toolCallName: 'search', parentMessageId: 'm', delta: '{"x"' }),
      toolChunk({ toolCallId: 'b', toolCallName: 'read', parentMessageId: 'm', delta: '[' }),
      toolChunk({ toolCallId: 'a', delta: ':1}' }),
      toolChunk({ toolCallId: 'b', delta: ']' }),
      result('a'),
      result('b'),
    ],
    ['m assistant: a search({"x":1}) b read([])', 't-a tool: a ["ok"]', 't-b tool: b ["ok"]'],
  ],
  [
    'text that goes on without an id after something else',
    [textChunk({ messageId: 'm', delta: 'A' }), { type: 'CUSTOM', name: 'x', value: 1 }, textChunk({ delta: 'B' })],
    ['m assistant: "AB"'],
  ],
  [
    'all of a call in one chunk, twice',
    [
      toolChunk({ toolCallId: 'a', toolCallName: 'search', delta: '{}' }),
      toolChunk({ toolCallId: 'b', toolCallName: 'search', delta: '{}' }),
      result('a'),
      result('b'),
    ],
    ['a assistant: a search({}) b search({})', 't-a tool: a ["ok"]', 't-b tool: b ["ok"]'],
  ],
  [
    'thoughts, text and a call',
    [
      thoughtChunk({ messageId: 'r', delta: 'Hm' }),
      thoughtChunk({ delta: '.' }),
      textChunk({ messageId: 'm', delta: 'A' }),
      toolChunk({ toolCallId: 'a', toolCallName: 'search', parentMessageId: 'm' }),
      result('a'),
    ],
    ['m assistant: thinking "Hm." "A" a search({})', 't-a tool: a ["ok"]'],
  ],
])('%s', (_, events, expected) => {
  expect(decoded([started, ...events, finished]).messages.map(brief)).toEqual(expected)
})

test.each<AgUiEvent>([
  textChunk({ delta: 'x' }),
  toolChunk({ toolCallId: 'c', delta: 'x' }),
  toolChunk({ delta: 'x' }),
])('a chunk of nothing that is known says so: %j', (event) => {
  const { ignored, end } = decoded([started, event, finished])
  expect(ignored).toEqual([`${event.type}: the chunk does not say what it belongs to`])
  expect(end?.type).toBe('run_finished')
})

test('a stream of chunks that is cut keeps what came', () => {
  const { messages, end } = decoded([started, textChunk({ messageId: 'm', delta: 'Half' })])
  expect(messages.map(brief)).toEqual(['m assistant: "Half"'])
  expect(end).toMatchObject({ type: 'run_failed', code: 'stream_truncated' })
})
