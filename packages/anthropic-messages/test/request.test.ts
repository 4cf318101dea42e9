import { FactwireError, type Pending } from '@factwire/core'
import { expect, test } from 'vitest'
import { error, history, request } from '../src/index.ts'

const open: readonly Pending[] = [
  { tool_use_id: 'c1', kind: 'client' },
  { tool_use_id: 'c2', kind: 'approval', approval_id: 'perm-2' },
  { tool_use_id: 'c3', kind: 'approval' },
]
const KNOWN = new Set(['m1'])

const tool_result = (tool_use_id: string, content: unknown, more: object = {}): object => ({
  type: 'tool_result',
  tool_use_id,
  content,
  ...more,
})

const asked = (...messages: object[]): object => ({ model: 'm', max_tokens: 10, messages })

function refusal(body: unknown): unknown {
  try {
    request(body)
  } catch (error) {
    if (error instanceof FactwireError) return `${error.code} ${error.message}`
    throw error
  }
  return undefined
}

test('reads what a client asks, and keeps what is not known here', () => {
  expect(
    request({
      model: 'm-large',
      max_tokens: 1024,
      stream: true,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'Hi.' }],
      thinking: { type: 'enabled', budget_tokens: 1000 },
      metadata: { user_id: 'u' },
      temperature: 0.5,
      tools: [
        { name: 'ask', description: 'asks', input_schema: { type: 'object' } },
        { type: 'custom', name: 'other', input_schema: { type: 'object' } },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
    }),
  ).toEqual({
    model: 'm-large',
    maxTokens: 1024,
    stream: true,
    thinking: true,
    user: 'u',
    messages: [
      { id: 'system', role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { id: 'message-0', role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
    ],
    decisions: [],
    tools: [
      { name: 'ask', description: 'asks', parameters: { type: 'object' } },
      { name: 'other', parameters: { type: 'object' } },
    ],
    typedTools: [{ type: 'web_search_20250305', name: 'web_search' }],
    rest: {
      thinking: { type: 'enabled', budget_tokens: 1000 },
      metadata: { user_id: 'u' },
      temperature: 0.5,
    },
  })
  expect(request(asked({ role: 'user', content: 'Hi.' }))).toMatchObject({ stream: false, thinking: false, tools: [] })
  expect(request({ ...asked(), thinking: { type: 'disabled' } }).thinking).toBe(false)
})

test('one message of the wire may be several of a thread', () => {
  const { messages } = request(
    asked(
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'text', text: 'Look.' },
          { type: 'mcp_tool_use', id: 'a', name: 'look', server_name: 'agent', input: { q: 1 } },
          { type: 'mcp_tool_result', tool_use_id: 'a', is_error: false, content: [{ type: 'text', text: 'a cat' }] },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'A cat.' },
          { type: 'tool_use', id: 'c1', name: 'ask', input: {} },
          { type: 'hologram' },
        ],
      },
      {
        role: 'user',
        content: [tool_result('c1', 'yes'), tool_result('c9', undefined), { type: 'text', text: 'And?' }],
      },
    ),
  )
  expect(messages).toEqual([
    {
      id: 'message-0',
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'Hm.', signature: 's' },
        { type: 'text', text: 'Look.' },
        { type: 'tool_use', id: 'a', name: 'look', input: { q: 1 } },
      ],
    },
    {
      id: 'message-0-2',
      role: 'tool',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'a cat' }], is_error: false }],
    },
    {
      id: 'message-0-3',
      role: 'assistant',
      content: [
        { type: 'thinking', text: '', encrypted: 'x' },
        { type: 'text', text: 'A cat.' },
        { type: 'tool_use', id: 'c1', name: 'ask', input: {} },
      ],
    },
    {
      id: 'message-1',
      role: 'tool',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'yes' }], is_error: false },
        { type: 'tool_result', tool_use_id: 'c9', content: [], is_error: false },
      ],
    },
    { id: 'message-1-2', role: 'user', content: [{ type: 'text', text: 'And?' }] },
  ])
})

test('content of every kind is read', () => {
  const { messages } = request(
    asked({
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' }, cache_control: null },
        { type: 'image', source: { type: 'file', file_id: 'f' } },
        { type: 'document', source: { type: 'url', url: 'https://e.com' }, title: 'T', context: 'C' },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'y' }] } },
        { type: 'document', source: { type: 'content', content: 'z' } },
        {
          type: 'search_result',
          source: 's',
          title: 't',
          content: [{ type: 'text', text: 'u' }],
          citations: { enabled: true },
        },
      ],
    }),
  )
  expect(messages[0]?.content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
    { type: 'image', source: { type: 'file', file_id: 'f' } },
    { type: 'document', source: { type: 'url', url: 'https://e.com' }, title: 'T', context: 'C' },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'y' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'z' } },
    {
      type: 'search_result',
      source: 's',
      title: 't',
      content: [{ type: 'text', text: 'u' }],
      citations: { enabled: true },
    },
  ])
})

test('of a thread that the server has, only what is new is taken', () => {
  const { messages, decisions } = request(
    {
      ...asked(
        { role: 'user', content: 'Old.' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Old.' },
            { type: 'tool_use', id: 'c1', name: 'ask', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            tool_result('c1', 'yes'),
            tool_result('c1', 'again'),
            tool_result('c8', 'made up'),
            { type: 'text', text: 'And?' },
          ],
        },
      ),
      system: 'Be brief.',
    },
    { known: KNOWN, open },
  )
  expect(messages).toEqual([
    {
      id: 'message-2',
      role: 'tool',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'yes' }], is_error: false }],
    },
    { id: 'message-2-2', role: 'user', content: [{ type: 'text', text: 'And?' }] },
  ])
  expect(decisions).toEqual([])
})

test('a result for an open call counts wherever it stands in the history', () => {
  const { messages } = request(
    asked(
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'ask', input: {} }] },
      { role: 'user', content: [tool_result('c1', 'yes')] },
      { role: 'assistant', content: 'Then.' },
      { role: 'user', content: 'And?' },
    ),
    { known: KNOWN, open },
  )
  expect(messages.map(({ role }) => role)).toEqual(['tool', 'user'])
})

test('calls are never the client’s to make, and an empty thread takes its first words', () => {
  const body = asked(
    { role: 'user', content: 'Hi.' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Yes?' },
        { type: 'tool_use', id: 'x', name: 'rm', input: {} },
      ],
    },
    { role: 'user', content: 'Go.' },
  )
  expect(request(body, { known: new Set() }).messages).toEqual([
    { id: 'message-0', role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
    { id: 'message-1', role: 'assistant', content: [{ type: 'text', text: 'Yes?' }] },
    { id: 'message-2', role: 'user', content: [{ type: 'text', text: 'Go.' }] },
  ])
})

test.each([
  ['true', true],
  ['{"approved":true}', true],
  ['{"approved":false}', false],
  ['yes', true],
  ['{"approve":true}', true],
  ['Sure!', false],
  ['', false],
])('the answer %j to an approval', (said, approved) => {
  const { decisions, messages } = request(
    asked({ role: 'user', content: [tool_result('perm-2', said), tool_result('approval_c3', 'true')] }),
    { known: KNOWN, open },
  )
  expect(decisions.map(({ tool_use_id, approved: yes }) => [tool_use_id, yes])).toEqual([
    ['c2', approved],
    ['c3', true],
  ])
  expect(messages).toEqual([])
})

test('an answer that is an error is a no, and one to the call itself is none', () => {
  const { decisions } = request(
    asked({ role: 'user', content: [tool_result('perm-2', 'true', { is_error: true }), tool_result('c3', 'true')] }),
    { known: KNOWN, open },
  )
  expect(decisions).toMatchObject([{ tool_use_id: 'c2', approved: false }])
})

test('what comes from nobody knows where reaches no prototype', () => {
  const body: unknown = JSON.parse(
    '{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"n","input":{"__proto__":{"polluted":1}}}]}],"__proto__":{"x":1}}',
  )
  const { messages, rest } = request(body)
  expect(Object.keys(rest)).toEqual(['__proto__'])
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
  expect(JSON.stringify(messages)).toContain('"__proto__":{"polluted":1}')
})

test.each([
  [7, 'invalid_value body: expected an object, got number'],
  [{}, 'invalid_value messages: expected an array, got nothing'],
  [
    { messages: [{ role: 'robot', content: 'x' }] },
    'invalid_value messages[0].role: expected user, assistant or system, got "robot"',
  ],
  [
    { messages: [{ role: 'user' }] },
    'invalid_value messages[0].content: expected a string or an array of blocks, got nothing',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'video' }] }] },
    'invalid_value messages[0].content[0].type: expected text, image, document, search_result or tool_result, got "video"',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: '' }] }] },
    'invalid_value messages[0].content[0].tool_use_id: expected a string that is not empty, got ""',
  ],
  [{ messages: [], max_tokens: -1 }, 'invalid_value max_tokens: expected a whole number, 0 or more, got -1'],
  [{ messages: [], tools: [{ description: 'x' }] }, 'invalid_value tools[0].name: expected a string, got nothing'],
  [{ messages: [], stream: 'yes' }, 'invalid_value stream: expected true or false, got string'],
  [
    { messages: Array(10_001).fill({ role: 'user', content: 'x' }) },
    'too_large messages: 10001 elements, at most 10000 allowed',
  ],
])('refuses %#', (body, why) => {
  expect(refusal(body)).toBe(why)
})

test('a thread that the server should keep is refused in the words by which clients go on without', () => {
  const body = { ...asked({ role: 'user', content: 'Hi.' }), thread: { type: 'create' } }
  expect(refusal(body)).toBe('invalid_value thread: message threads are not kept here')
  expect(error(400, { code: 'invalid_value', message: 'thread: message threads are not kept here' })).toMatchObject({
    error: {
      type: 'invalid_request_error',
      details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    },
  })
  expect(error(400, { code: 'invalid_value', message: 'model: no' }).error).not.toHaveProperty('details')
})

test('a thread that went out comes back the same', () => {
  const thread = history({
    messages: [
      { id: 'a', role: 'user', content: [{ type: 'text', text: 'Go.' }] },
      {
        id: 'b',
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'Hm.', signature: 's' },
          { type: 'text', text: 'Look.' },
          { type: 'tool_use', id: 'c', name: 'look', input: { q: 1 } },
        ],
      },
      {
        id: 'c',
        role: 'tool',
        content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'x' }], is_error: true }],
      },
    ],
  })
  expect(history({ messages: request({ ...thread }).messages })).toEqual(thread)
})
