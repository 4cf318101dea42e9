import { FactwireError, type Pending } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ChatRequest, request } from '../src/request.ts'
import { runTools } from './client.ts'
import { call, delta, done, finish, part } from './streams.ts'

const user = { role: 'user', content: 'go' }

/** The place and code of the refusal. */
function refusal(body: unknown): string {
  try {
    request(body)
  } catch (error) {
    if (error instanceof FactwireError) return `${error.code} ${error.path}`
    throw error
  }
  return 'accepted'
}

function content(message: unknown): unknown {
  return request({ messages: [message] }).messages[0]?.content
}

test('reads the smallest request there is', () => {
  expect(request({ model: 'm', messages: [user] })).toEqual<ChatRequest>({
    messages: [{ id: 'message-0', role: 'user', content: [{ type: 'text', text: 'go' }] }],
    decisions: [],
    tools: [],
    model: 'm',
    stream: false,
    includeUsage: false,
    rest: {},
  })
})

test('takes developer for system', () => {
  const { messages } = request({ messages: [{ role: 'developer', content: [{ type: 'text', text: 'be kind' }] }] })
  expect(messages).toEqual([{ id: 'message-0', role: 'system', content: [{ type: 'text', text: 'be kind' }] }])
})

const calling = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '' } }],
}
const answer = (content: string, tool_call_id = 'c1'): object => ({ role: 'tool', tool_call_id, content })
const words = { role: 'assistant', content: 'so' }
const client: Pending = { tool_use_id: 'c1', kind: 'client' }
const known = new Set(['u'])

test.each<[string, readonly object[], readonly Pending[], readonly string[]]>([
  ['what comes after the last message of the assistant', [user, words, user], [], ['message-2']],
  [
    'all that is said before the assistant speaks',
    [{ role: 'system', content: 'a' }, user],
    [],
    ['message-0', 'message-1'],
  ],
  [
    'the result of a call that the client was to run',
    [user, calling, answer('ok'), user],
    [client],
    ['message-2', 'message-3'],
  ],
  [
    'it behind words that the client made up',
    [user, calling, answer('ok'), words, user],
    [client],
    ['message-2', 'message-4'],
  ],
  ['no second result of it', [calling, answer('ok'), answer('no')], [client], ['message-1']],
  ['no result of a call of the agent', [user, calling, answer('ok')], [], []],
  ['no result of a call that waits for approval', [calling, answer('ok')], [{ ...client, kind: 'approval' }], []],
])('of a thread that the server has, takes %s', (_, messages, open, expected) => {
  expect(request({ messages }, { known, open }).messages.map(({ id }) => id)).toEqual(expected)
})

test('of a thread that the server has not yet, takes what is said, and no calls', () => {
  const spoken = { ...calling, content: 'so' }
  const { messages } = request({ messages: [user, calling, answer('ok'), spoken, user] }, { known: new Set() })
  expect(messages.map(({ id }) => id)).toEqual(['message-0', 'message-3', 'message-4'])
  expect(messages[1]?.content).toEqual([{ type: 'text', text: 'so' }])
})

test('takes all that there is where the server has nothing', () => {
  expect(request({ messages: [user, calling, answer('ok')] }).messages[2]?.content).toEqual([
    { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'ok' }], is_error: false },
  ])
})

test.each<[string, Pending, readonly object[], readonly object[]]>([
  [
    'the answer to the call that asked',
    { tool_use_id: 'c1', kind: 'approval', approval_id: 'ap' },
    [answer('{"approved":true}', 'ap')],
    [{ tool_use_id: 'c1', approval_id: 'ap', approved: true, payload: { approved: true } }],
  ],
  [
    'words, which are no yes',
    { tool_use_id: 'c1', kind: 'approval' },
    [answer('Sure!')],
    [{ tool_use_id: 'c1', approved: false, payload: 'Sure!' }],
  ],
  ['no answer', { tool_use_id: 'c1', kind: 'approval' }, [user], []],
  ['nothing about a call that the client runs', client, [answer('true')], []],
])('decides by %s', (_, pending, messages, decisions) => {
  expect(request({ messages }, { open: [pending] }).decisions).toEqual(decisions)
})

test('reads the parts of a user', () => {
  const parts = [
    { type: 'text', text: 'look' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
    { type: 'image_url', image_url: 'https://a.test/b.png' },
    { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
    { type: 'file', file: { file_id: 'f1' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
    { type: 'file', file: { file_data: 'AA==' } },
    { type: 'file', file: { file_data: 'https://a.test/b.pdf' } },
    { type: 'file', file: { file_data: 'data:;base64,AA==' } },
  ]
  expect(content({ role: 'user', content: parts })).toEqual([
    { type: 'text', text: 'look' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
    { type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } },
    { type: 'document', source: { type: 'base64', media_type: 'audio/mpeg', data: 'AA==' } },
    { type: 'document', source: { type: 'file', file_id: 'f1' } },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' }, title: 'a.pdf' },
    { type: 'document', source: { type: 'base64', media_type: 'application/octet-stream', data: 'AA==' } },
    { type: 'document', source: { type: 'url', url: 'https://a.test/b.pdf' } },
    { type: 'document', source: { type: 'base64', media_type: 'text/plain', data: 'AA==' } },
  ])
})

test('keeps the text of arguments that is not the shortest form, and text that is no JSON', () => {
  const calls = ['{"a": 1}', '{"a":1}', '{"a":', ''].map((text, index) => ({
    id: `c${index}`,
    type: 'function',
    function: { name: 'f', arguments: text },
  }))
  expect(content({ role: 'assistant', tool_calls: calls })).toEqual([
    { type: 'tool_use', id: 'c0', name: 'f', input: { a: 1 }, raw_input: '{"a": 1}' },
    { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
    { type: 'tool_use', id: 'c2', name: 'f', input: null, raw_input: '{"a":' },
    { type: 'tool_use', id: 'c3', name: 'f', input: {} },
  ])
})

test('reads calls as sloppy clients and custom tools have them', () => {
  const tool_calls = [
    { id: 'c0', function: { name: 'f' } },
    { id: 'c1', function: { name: 'f', arguments: { a: 1 } } },
    { id: 'c2', type: 'custom', custom: { name: 'g', input: 'free' } },
  ]
  expect(content({ role: 'assistant', tool_calls })).toEqual([
    { type: 'tool_use', id: 'c0', name: 'f', input: {} },
    { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
    { type: 'tool_use', id: 'c2', name: 'g', input: 'free', raw_input: 'free' },
  ])
})

test('takes the null of a tool that returned nothing for an empty result', () => {
  expect(content({ role: 'tool', tool_call_id: 'c', content: null })).toMatchObject([{ content: [] }])
})

test('reads what an assistant refused and thought, and the signatures that came with it', () => {
  const google = { google: { thought_signature: 's' } }
  const calls = [{ id: 'c1', function: { name: 'f', arguments: '{}' }, extra_content: google }]
  expect(
    content({ role: 'assistant', content: null, refusal: 'no', reasoning_content: 'hm', tool_calls: calls }),
  ).toEqual([
    { type: 'thinking', text: 'hm' },
    { type: 'text', text: 'no' },
    { type: 'thinking', text: '', signature: 's' },
    { type: 'tool_use', id: 'c1', name: 'f', input: {} },
  ])
})

test('reads thoughts once, be they in one field or in two, with the signature of the message', () => {
  const reasoning_details = [{ type: 'reasoning.text', text: 'hm', index: 0, signature: 's' }]
  expect(content({ role: 'assistant', content: 'a', reasoning: 'hm', reasoning_details })).toEqual([
    { type: 'thinking', text: 'hm', signature: 's' },
    { type: 'text', text: 'a' },
  ])
  const extra_content = { google: { thought_signature: 's' } }
  const parts = [{ type: 'refusal', refusal: 'no' }]
  expect(content({ role: 'assistant', content: parts, reasoning_content: 'hm', extra_content })).toEqual([
    { type: 'thinking', text: 'hm', signature: 's' },
    { type: 'text', text: 'no' },
  ])
})

test('reads the older form of calls, which has no ids', () => {
  const called = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } }
  const read = request({
    messages: [user, called, { role: 'function', name: 'f', content: '7' }, called, { role: 'function', content: '8' }],
    functions: [{ name: 'f', parameters: { type: 'object' } }],
  })
  expect(read.messages[1]?.content).toEqual([{ type: 'tool_use', id: 'call_message-1', name: 'f', input: { a: 1 } }])
  expect([read.messages[2]?.content, read.messages[4]?.content]).toMatchObject([
    [{ tool_use_id: 'call_message-1', content: [{ text: '7' }] }],
    [{ tool_use_id: 'call_message-3', content: [{ text: '8' }] }],
  ])
  expect(read.tools).toEqual([{ name: 'f', parameters: { type: 'object' } }])
})

test('reads how to answer, and keeps aside what it does not know', () => {
  const read = request({
    messages: [user],
    model: 'm',
    stream: true,
    stream_options: { include_usage: true, include_tool_events: true },
    tools: [{ type: 'function', function: { name: 'f', description: 'does f', strict: true } }],
    tool_choice: 'auto',
    temperature: 0.5,
    user: 'u',
    n: 1,
  })
  expect(read).toMatchObject({
    stream: true,
    includeUsage: true,
    user: 'u',
    tools: [{ name: 'f', description: 'does f' }],
  })
  expect(read.rest).toEqual({
    stream_options: { include_usage: true, include_tool_events: true },
    tool_choice: 'auto',
    temperature: 0.5,
    n: 1,
  })
})

test('takes null for absent', () => {
  const body = { messages: [user], model: null, stream: null, stream_options: null, tools: null, user: null, n: null }
  expect(request(body)).toEqual({ ...request({ messages: [user] }), rest: { stream_options: null, n: null } })
})

test.each([
  ['no object', [], 'invalid_value body'],
  ['no messages', {}, 'invalid_value messages'],
  ['a message that is none', { messages: [user, 1] }, 'invalid_value messages[1]'],
  ['an unknown role', { messages: [{ role: 'robot', content: '' }] }, 'invalid_value messages[0].role'],
  ['a user without content', { messages: [{ role: 'user' }] }, 'invalid_value messages[0].content'],
  [
    'an unknown part',
    { messages: [{ role: 'user', content: [{ type: 'video' }] }] },
    'invalid_value messages[0].content[0].type',
  ],
  [
    'an image without address',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
    'invalid_value messages[0].content[0].image_url.url',
  ],
  [
    'an image of the assistant',
    { messages: [{ role: 'assistant', content: [{ type: 'image_url', image_url: 'a' }] }] },
    'invalid_value messages[0].content[0]',
  ],
  ['a result without call', { messages: [{ role: 'tool', content: '' }] }, 'invalid_value messages[0].tool_call_id'],
  ['a function result without call', { messages: [{ role: 'function', content: '' }] }, 'invalid_value messages[0]'],
  [
    'a call without id',
    { messages: [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '' } }] }] },
    'invalid_value messages[0].tool_calls[0].id',
  ],
  [
    'a call without name',
    { messages: [{ role: 'assistant', tool_calls: [{ id: 'c', function: { arguments: '' } }] }] },
    'invalid_value messages[0].tool_calls[0].function.name',
  ],
  [
    'a tool without name',
    { messages: [], tools: [{ function: { name: '' } }] },
    'invalid_value tools[0].function.name',
  ],
  ['a tool that is no function', { messages: [], tools: [{ type: 'custom' }] }, 'invalid_value tools[0].type'],
  ['a stream that is no flag', { messages: [], stream: 'yes' }, 'invalid_value stream'],
  ['several answers', { messages: [], n: 2 }, 'invalid_value n'],
  ['too many messages', { messages: Array(10_001).fill(user) }, 'too_large messages'],
])('refuses %s', (_, body, expected) => {
  expect(refusal(body)).toBe(expected)
})

test('never reaches a prototype', () => {
  const hostile = '{"messages":[{"role":"user","content":"a","__proto__":{"content":"b"}}],"__proto__":{"stream":true}}'
  const read = request(JSON.parse(hostile))
  expect(read.stream).toBe(false)
  expect(Object.getOwnPropertyNames(read.rest)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(read.rest)).toBe(Object.prototype)
  expect(refusal(JSON.parse('{"__proto__":{"messages":[]}}'))).toBe('invalid_value messages')
  expect(refusal(Object.create({ messages: [] }))).toBe('invalid_value messages')
})

test('reads or refuses whatever stands in a place of a request', () => {
  const places = [
    (value: unknown) => ({ messages: value }),
    (value: unknown) => ({ messages: [value] }),
    ...['content', 'tool_calls', 'function_call', 'reasoning_details', 'reasoning', 'refusal', 'extra_content'].map(
      (key) => (value: unknown) => ({ messages: [{ role: 'assistant', content: '', [key]: value }] }),
    ),
    (value: unknown) => ({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: value }] }] }),
    (value: unknown) => ({ messages: [{ role: 'user', content: [{ type: 'file', file: value }] }] }),
    (value: unknown) => ({ messages: [{ role: 'assistant', tool_calls: [{ id: 'c', function: value }] }] }),
    (value: unknown) => ({ messages: [], tools: [value] }),
    (value: unknown) => ({ messages: [], stream_options: value }),
  ]
  const prop = fc.property(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 4 }), (place, value) => {
    expect(refusal(place(value))).toMatch(/^(accepted|invalid_value [a-z]+)/)
  })
  fc.assert(prop, { seed: 1, numRuns: 2000 })
})

test('reads the requests of the official client, with the results of the tools that it ran', async () => {
  const calling = delta({ role: 'assistant', content: '' }) + call(part(0, '{"q": 1}', 'search', 'c1'))
  for (const version of ['7', '6'] as const) {
    const { sent } = await runTools(calling + finish('tool_calls') + done, { version, tools: ['search'] })
    const [first, second] = sent.map((body) => request(body))
    expect(first).toMatchObject({ stream: true, tools: [{ name: 'search' }] })
    const fresh = request(sent[1], { known, open: [client] }).messages
    expect(fresh.map(({ content }) => content)).toMatchObject([[{ tool_use_id: 'c1', content: [{ text: 'ran' }] }]])
    expect(second?.messages[1]?.content).toEqual([
      { type: 'tool_use', id: 'c1', name: 'search', input: { q: 1 }, raw_input: '{"q": 1}' },
    ])
  }
})
