import type { Message } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyJson, anyText } from '@factwire/conformance'
import { history } from '../src/index.ts'
import { storedMessages } from '../src/stored.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { clientView } from './client.ts'

const thread: readonly Message[] = [
  { id: 's', role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
  {
    id: 'u',
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
      { type: 'image', source: { type: 'file', file_id: 'file-1' } },
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' }, title: 'A' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' }, context: 'B' },
      { type: 'redacted' },
    ],
  },
  {
    id: 'a',
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'Hm. ' },
      { type: 'thinking', text: 'Ah.', signature: 'sig', encrypted: 'b64' },
      { type: 'text', text: 'Let me ' },
      { type: 'text', text: 'see.' },
      { type: 'tool_use', id: 'c1', name: 'look', input: { deep: true } },
      { type: 'tool_use', id: 'c2', name: 'look', input: { a: 1 }, raw_input: '{ "a": 1 }' },
    ],
  },
  {
    id: 't',
    role: 'tool',
    content: [
      { type: 'tool_result', tool_use_id: 'c1', content: [], is_error: false, data: null },
      {
        type: 'tool_result',
        tool_use_id: 'c2',
        content: [
          {
            type: 'search_result',
            source: 'https://example.com',
            title: 'Example',
            content: [{ type: 'text', text: 'found' }],
          },
        ],
        is_error: true,
        denied: true,
      },
    ],
  },
  { id: 'b', role: 'assistant', content: [{ type: 'tool_use', id: 'c3', name: 'ask', input: {} }] },
  { id: 'empty', role: 'assistant', content: [] },
]

test('a thread is a list of messages as clients have them', () => {
  expect(history({ messages: thread })).toEqual([
    { id: 's', role: 'system', content: 'Be brief.' },
    {
      id: 'u',
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', source: { type: 'data', value: 'aGk=', mimeType: 'image/png' } },
        { type: 'image', source: { type: 'file', value: 'file-1' } },
        {
          type: 'document',
          source: { type: 'url', value: 'https://example.com/a.pdf' },
          metadata: { factwire: { document: { title: 'A' } } },
        },
        {
          type: 'text',
          text: 'words',
          metadata: { factwire: { document: { media_type: 'text/plain', context: 'B' } } },
        },
        { type: 'text', text: '', metadata: { factwire: { block: { type: 'redacted' } } } },
      ],
    },
    {
      id: 'a',
      role: 'assistant',
      content: 'Let me see.',
      toolCalls: [
        { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"deep":true}' } },
        { id: 'c2', type: 'function', function: { name: 'look', arguments: '{ "a": 1 }' } },
      ],
    },
    { id: 't', role: 'tool', toolCallId: 'c1', content: '', metadata: { factwire: { data: null } } },
    {
      id: 't-1',
      role: 'tool',
      toolCallId: 'c2',
      content: [
        {
          type: 'text',
          text: 'Example\nhttps://example.com\nfound',
          metadata: {
            factwire: {
              block: {
                type: 'search_result',
                source: 'https://example.com',
                title: 'Example',
                content: [{ type: 'text', text: 'found' }],
              },
            },
          },
        },
      ],
      metadata: { factwire: { is_error: true, denied: true, message_id: 't' } },
    },
    {
      id: 'b',
      role: 'assistant',
      toolCalls: [{ id: 'c3', type: 'function', function: { name: 'ask', arguments: '{}' } }],
    },
  ])
})

test('thoughts are messages where they are asked for', () => {
  const [, , thought, said] = history({ messages: thread }, { reasoning: true })
  expect(thought).toEqual({
    id: 'a-reasoning',
    role: 'reasoning',
    content: 'Hm. Ah.',
    metadata: { factwire: { signature: 'sig' } },
    encryptedValue: 'b64',
  })
  expect(said?.id).toBe('a')
})

test('the official client takes it as it is', async () => {
  const messages = history({ messages: thread }, { reasoning: true })
  const events: readonly AgUiEvent[] = [
    { type: 'RUN_STARTED', threadId: 'th', runId: 'ru' },
    { type: 'MESSAGES_SNAPSHOT', messages },
    { type: 'RUN_FINISHED', threadId: 'th', runId: 'ru' },
  ]
  const view = await clientView(events)
  expect(view.rejected).toBeUndefined()
  expect(view.warnings).toEqual([])
  expect(view.messages).toEqual(messages)
})

test('and it comes back from a client as it was stored, but for how text was cut', () => {
  const [, user, assistant, ...rest] = storedMessages(history({ messages: thread }, { reasoning: true }))
  expect(user).toEqual(thread[1])
  expect(assistant?.content).toEqual([
    { type: 'thinking', text: 'Hm. Ah.', signature: 'sig', encrypted: 'b64' },
    { type: 'text', text: 'Let me see.' },
    ...(thread[2]?.content.slice(4) ?? []),
  ])
  expect(rest.flatMap(({ content }) => content)).toEqual([...(thread[3]?.content ?? []), ...(thread[4]?.content ?? [])])
})

test('results and calls of any kind come back', () => {
  fc.assert(
    fc.property(anyText, anyJson, anyJson, fc.boolean(), fc.boolean(), (said, input, data, is_error, cancelled) => {
      const messages: readonly Message[] = [
        { id: 'a', role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input }] },
        {
          id: 't',
          role: 'tool',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c',
              content: said === '' ? [] : [{ type: 'text', text: said }],
              is_error,
              data,
              ...(cancelled ? { cancelled } : {}),
            },
          ],
        },
      ]
      expect(storedMessages(history({ messages }))).toEqual(messages)
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('a thought that led to nothing is a message too, where thoughts are wanted', () => {
  const messages: readonly Message[] = [
    { id: 'a', role: 'assistant', content: [{ type: 'thinking', text: 'Hm.' }] },
    { id: 'b', role: 'assistant', content: [{ type: 'thinking', text: '' }] },
  ]
  expect(history({ messages }, { reasoning: true })).toEqual([{ id: 'a-reasoning', role: 'reasoning', content: 'Hm.' }])
  expect(history({ messages })).toEqual([])
})

test('keeps what a user sent without a word, and leaves out who said nothing', () => {
  const picture = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } } as const
  const messages: readonly Message[] = [
    { id: 'u-1', role: 'user', content: [picture] },
    { id: 'u-2', role: 'user', content: [{ type: 'text', text: '' }] },
  ]
  expect(history({ messages })).toEqual([
    {
      id: 'u-1',
      role: 'user',
      content: [{ type: 'image', source: { type: 'url', value: 'https://example.com/a.png' } }],
    },
  ])
})
