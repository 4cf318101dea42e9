import { FactwireError } from '@factwire/core'
import { EventSchemas } from '@ag-ui/core/schemas'
import { expect, test } from 'vitest'
import { framing } from '../src/framing.ts'
import { parseAgUi } from '../src/index.ts'
import { everyEvent } from './every-event.ts'

const types = new Set(everyEvent.map(({ type }) => type))

test('there is a sample of all 31 types', () => {
  expect(types.size).toBe(31)
})

test.each(everyEvent)('$type is as the official schema has it', (event) => {
  expect(EventSchemas.parse(event)).toEqual(event)
})

test.each(everyEvent)('$type is read as it stands, with nothing left over', (event) => {
  const unknown: string[] = []
  expect(parseAgUi(event, (path) => unknown.push(path))).toEqual(event)
  expect(unknown).toEqual([])
})

const run = { threadId: 't', runId: 'r' }

test.each([
  ['an event', { type: 'FANCY', a: 1 }, undefined, ['type']],
  [
    'a field',
    { type: 'TEXT_MESSAGE_END', messageId: 'm', mood: 'good' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm' },
    ['mood'],
  ],
  [
    'a role',
    {
      type: 'MESSAGES_SNAPSHOT',
      messages: [
        { id: 'x', role: 'oracle' },
        { id: 's', role: 'system', content: '' },
      ],
    },
    { type: 'MESSAGES_SNAPSHOT', messages: [{ id: 's', role: 'system', content: '' }] },
    ['messages[0].role'],
  ],
  [
    'a part, a source',
    {
      type: 'TOOL_CALL_RESULT',
      messageId: 't',
      toolCallId: 'c',
      content: [{ type: 'smell' }, { type: 'image', source: { type: 'aether' } }, { type: 'text', text: 'x' }],
    },
    { type: 'TOOL_CALL_RESULT', messageId: 't', toolCallId: 'c', content: [{ type: 'text', text: 'x' }] },
    ['content[0].type', 'content[1].source.type'],
  ],
  [
    'an operation',
    {
      type: 'STATE_DELTA',
      delta: [
        { op: 'swap', path: '/a' },
        { op: 'remove', path: '/a', note: 1 },
      ],
    },
    { type: 'STATE_DELTA', delta: [{ op: 'remove', path: '/a' }] },
    ['delta[0].op', 'delta[1].note'],
  ],
  [
    'what is wrong and not needed',
    { type: 'RUN_FINISHED', ...run, timestamp: 'now', usage: { inputTokens: 1 }, metadata: [] },
    { type: 'RUN_FINISHED', ...run },
    ['usage', 'timestamp', 'metadata'],
  ],
])('%s that is not known is dropped, and told', (_, value, event, paths) => {
  const unknown: string[] = []
  expect(parseAgUi(value, (path) => unknown.push(path))).toEqual(event)
  expect(unknown).toEqual(paths)
  expect(parseAgUi(value)).toEqual(event)
})

test.each([
  '{"type":"STATE_SNAPSHOT","snapshot":{"a":[1e999]}}',
  '{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"PLAN","content":{"a":-1e999}}',
  '{"type":"RUN_FINISHED","threadId":"th","runId":"ru","result":1e999}',
])('refuses a number that would be written again as null: %s', (data) => {
  expect(() => framing.parse({ data })).toThrow('too large to be held')
})

test.each([
  [
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'x', rawEvent: null },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'x' },
  ],
  [
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'f', parentMessageId: null },
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'f' },
  ],
  [
    { type: 'RUN_FINISHED', ...run, outcome: null, result: null },
    { type: 'RUN_FINISHED', ...run },
  ],
  [
    { type: 'MESSAGES_SNAPSHOT', messages: [{ id: 'a', role: 'assistant', content: null, toolCalls: null }] },
    { type: 'MESSAGES_SNAPSHOT', messages: [{ id: 'a', role: 'assistant' }] },
  ],
  [
    { type: 'CUSTOM', name: 'x' },
    { type: 'CUSTOM', name: 'x', value: null },
  ],
  [{ type: 'RAW' }, { type: 'RAW', event: null }],
  [
    { type: 'REASONING_MESSAGE_START', messageId: 'r', role: 'assistant' },
    { type: 'REASONING_MESSAGE_START', messageId: 'r', role: 'reasoning' },
  ],
  [
    { type: 'THINKING_START', title: 'Hm' },
    { type: 'REASONING_START', messageId: 'thinking' },
  ],
  [
    { type: 'THINKING_TEXT_MESSAGE_CONTENT', delta: 'x' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: 'thinking', delta: 'x' },
  ],
  [{ type: 'THINKING_END' }, { type: 'REASONING_END', messageId: 'thinking' }],
  [
    {
      type: 'MESSAGES_SNAPSHOT',
      messages: [
        {
          id: 'u',
          role: 'user',
          content: [
            { type: 'binary', mimeType: 'image/png', data: 'aGk=' },
            { type: 'binary', mimeType: 'application/pdf', url: 'https://example.com/a.pdf', filename: 'a.pdf' },
          ],
        },
      ],
    },
    {
      type: 'MESSAGES_SNAPSHOT',
      messages: [
        {
          id: 'u',
          role: 'user',
          content: [
            { type: 'image', source: { type: 'data', value: 'aGk=', mimeType: 'image/png' } },
            {
              type: 'document',
              source: { type: 'url', value: 'https://example.com/a.pdf', mimeType: 'application/pdf' },
            },
          ],
        },
      ],
    },
  ],
])('reads what older peers send: %j', (value, event) => {
  expect(parseAgUi(value)).toEqual(event)
})

test.each([
  [null, ''],
  [[], ''],
  ['TEXT_MESSAGE_END', ''],
  [{}, 'type'],
  [{ type: 7 }, 'type'],
  [{ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm' }, 'delta'],
  [{ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: null }, 'delta'],
  [{ type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'tool' }, 'role'],
  [{ type: 'TOOL_CALL_RESULT', messageId: 'm', toolCallId: 'c', content: { a: 1 } }, 'content'],
  [{ type: 'STATE_SNAPSHOT' }, 'snapshot'],
  [{ type: 'STATE_DELTA', delta: [{ op: 'add', path: '/a' }] }, 'delta[0].value'],
  [{ type: 'MESSAGES_SNAPSHOT', messages: [{ id: 'u', role: 'user' }] }, 'messages[0].content'],
  [{ type: 'MESSAGES_SNAPSHOT', messages: [{ role: 'user', content: '' }] }, 'messages[0].id'],
  [{ type: 'RUN_FINISHED', ...run, outcome: 'success' }, 'outcome'],
  [{ type: 'RUN_FINISHED', ...run, outcome: { type: 'paused' } }, 'outcome.type'],
  [{ type: 'RUN_FINISHED', ...run, outcome: { type: 'interrupt', interrupts: [] } }, 'outcome.interrupts'],
  [{ type: 'RUN_ERROR' }, 'message'],
])('refuses %j, and says where', (value, path) => {
  let thrown: unknown
  try {
    parseAgUi(value)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(FactwireError)
  expect(thrown).toMatchObject({ code: 'invalid_value', protocol: 'ag-ui', path })
})

test('what rides in metadata is read where it is right, and beside it anything stays', () => {
  const metadata = {
    app: { factwire: 1 },
    factwire: {
      is_error: true,
      denied: 'yes',
      cause: { type: 'stopped', code: 'budget' },
      data: null,
      block: { type: 'redacted' },
      novel: 1,
    },
  }
  const unknown: string[] = []
  const event = parseAgUi({ type: 'CUSTOM', name: 'x', value: 1, metadata }, (path) => unknown.push(path))
  expect(event?.metadata).toEqual({
    app: { factwire: 1 },
    factwire: {
      is_error: true,
      cause: { type: 'stopped', code: 'budget' },
      data: null,
      block: { type: 'redacted' },
    },
  })
  expect(unknown.toSorted()).toEqual(['metadata.factwire.denied', 'metadata.factwire.novel'])
})

test('no key reaches a prototype', () => {
  const text =
    '{"type":"CUSTOM","name":"x","value":1,"metadata":{"__proto__":{"polluted":1}},"__proto__":{"type":"RAW"}}'
  const event = parseAgUi(JSON.parse(text))
  expect(event?.type).toBe('CUSTOM')
  expect(event?.metadata?.['polluted']).toBeUndefined()
  expect(JSON.stringify(event?.metadata)).toBe('{"__proto__":{"polluted":1}}')
})
