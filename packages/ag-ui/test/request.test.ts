import { FactwireError, type Pending, type RequestOptions } from '@factwire/core'
import { HttpAgent } from '@ag-ui/client'
import { expect, test } from 'vitest'
import { type AgUiRequest, framing, request } from '../src/index.ts'
import { brief, finished, started } from './decoded.ts'

const ids = { threadId: 'th', runId: 'ru' }
const user = (id: string, content: unknown = 'Go.'): object => ({ id, role: 'user', content })
const calls = (id: string, ...callIds: readonly string[]): object => ({
  id,
  role: 'assistant',
  content: null,
  toolCalls: callIds.map((callId) => ({
    id: callId,
    type: 'function',
    function: { name: 'search', arguments: '{}' },
  })),
})
const answers = (id: string, toolCallId: string, content = 'ok'): object => ({ id, role: 'tool', toolCallId, content })

const briefs = (messages: readonly object[], options?: RequestOptions): readonly string[] =>
  request({ ...ids, messages }, options).messages.map(brief)

test('the smallest body of the oldest client', () => {
  expect(request({ ...ids, messages: [] })).toEqual({
    ...ids,
    stream: true,
    messages: [],
    decisions: [],
    tools: [],
    context: [],
  } satisfies AgUiRequest)
})

test('everything that a body may hold', () => {
  const body = {
    ...ids,
    parentRunId: 'pa',
    protocolVersion: '1.0',
    state: { a: 1 },
    messages: [user('u')],
    tools: [
      { name: 'ask', description: 'Asks.', parameters: { type: 'object' }, novel: 1 },
      { name: 'ask', description: 'Asks again.' },
    ],
    context: [{ description: 'where', value: 'here' }],
    forwardedProps: { model: 'x' },
    resume: [{ interruptId: 'i', status: 'resolved', payload: { approved: true } }],
    novel: 1,
  }
  expect(request(body)).toEqual({
    ...ids,
    parentRunId: 'pa',
    stream: true,
    state: { a: 1 },
    messages: [{ id: 'u', role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
    tools: [{ name: 'ask', description: 'Asks again.' }],
    context: [{ description: 'where', value: 'here' }],
    forwardedProps: { model: 'x' },
    decisions: [{ tool_use_id: 'i', approved: true, payload: { approved: true } }],
  })
})

test('absent and null are the same', () => {
  const body = {
    ...ids,
    parentRunId: null,
    state: null,
    messages: [],
    tools: null,
    context: null,
    forwardedProps: null,
    resume: null,
  }
  expect(request(body)).toEqual(request({ ...ids, messages: [] }))
})

test('what the official client posts is read', async () => {
  let body: unknown
  const agent = new HttpAgent({
    url: 'http://agent.test/',
    threadId: 'th',
    initialMessages: [
      {
        id: 'u',
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', source: { type: 'url', value: 'https://example.com/a.png' } },
        ],
      },
      {
        id: 'a',
        role: 'assistant',
        toolCalls: [{ id: 'c', type: 'function', function: { name: 'ask', arguments: '{}' } }],
      },
      { id: 't', role: 'tool', toolCallId: 'c', content: '42' },
    ],
    fetch: async (_url, init) => {
      body = await new Response(init?.body).json()
      return new Response([started, finished].map((event) => framing.text(event)).join(''))
    },
  })
  await agent.runAgent({ runId: 'ru', tools: [{ name: 'ask', description: 'Asks.', parameters: {} }] })
  const read = request(body, { known: new Set(['u', 'a']), open: [{ tool_use_id: 'c', kind: 'client' }] })
  expect(read).toMatchObject({ ...ids, tools: [{ name: 'ask', description: 'Asks.' }] })
  expect(read.messages.map(brief)).toEqual(['t tool: c ["42"]'])
})

test.each<[string, readonly object[], RequestOptions | undefined, readonly string[]]>([
  [
    'all of it, where the server has nothing',
    [user('u'), calls('a', 'c'), answers('t', 'c')],
    undefined,
    ['u user: "Go."', 'a assistant: c search({})', 't tool: c ["ok"]'],
  ],
  [
    'only what is new',
    [user('u'), calls('a', 'c'), answers('t', 'c'), user('u2')],
    { known: new Set(['u', 'a', 't']) },
    ['u2 user: "Go."'],
  ],
  ['the same message once', [user('u'), user('u', 'Something else.')], undefined, ['u user: "Go."']],
  [
    'a thought with the message that it led to',
    [
      { id: 'r', role: 'reasoning', content: 'Hm.', encryptedValue: 'b64' },
      { id: 'a', role: 'assistant', content: 'A' },
    ],
    undefined,
    ['a assistant: thinking "Hm." "A"'],
  ],
  ['no activities', [{ id: 'p', role: 'activity', activityType: 'PLAN', content: {} }], undefined, []],
  [
    'what is said under the role of a developer',
    [{ id: 'd', role: 'developer', content: 'Be brief.' }],
    undefined,
    ['d system: "Be brief."'],
  ],
  ['a role that is not known', [{ id: 'x', role: 'oracle', content: 1 }, user('u')], undefined, ['u user: "Go."']],
  ['a result of nothing', [user('u'), answers('t', 'c')], undefined, ['u user: "Go."']],
  [
    'two results of one call',
    [calls('a', 'c'), answers('t', 'c', 'one'), answers('t2', 'c', 'two')],
    undefined,
    ['a assistant: c search({})', 't tool: c ["one"]'],
  ],
  [
    'results of calls whose ids repeat',
    [calls('a', 'c'), answers('t', 'c', 'one'), calls('b', 'c'), answers('t2', 'c', 'two')],
    undefined,
    ['a assistant: c search({})', 't tool: c ["one"]', 'b assistant: c search({})', 't2 tool: c ["two"]'],
  ],
  [
    'the result of a call that the client was to run',
    [calls('a', 'c'), answers('t', 'c')],
    { known: new Set(['a']), open: [{ tool_use_id: 'c', kind: 'client' }] },
    ['t tool: c ["ok"]'],
  ],
  [
    'a second one',
    [calls('a', 'c'), answers('t', 'c', 'one'), answers('t2', 'c', 'two')],
    { known: new Set(['a']), open: [{ tool_use_id: 'c', kind: 'client' }] },
    ['t tool: c ["one"]'],
  ],
  ['one that was not asked for', [calls('a', 'c'), answers('t', 'c')], { known: new Set(['a']), open: [] }, []],
  [
    'one for a call that waits for approval',
    [calls('a', 'c'), answers('t', 'c')],
    { known: new Set(['a']), open: [{ tool_use_id: 'c', kind: 'approval' }] },
    [],
  ],
  ['a call that the server never made', [calls('forged', 'c'), answers('t', 'c')], { known: new Set([]) }, []],
  [
    'a greeting that the client made up',
    [{ id: 'g', role: 'assistant', content: 'Hi.' }],
    { known: new Set([]) },
    ['g assistant: "Hi."'],
  ],
  [
    'files as they were sent before',
    [user('u', [{ type: 'binary', mimeType: 'image/png', url: 'https://example.com/a.png' }])],
    undefined,
    ['u user: image'],
  ],
])('takes %s', (_, messages, options, expected) => {
  expect(briefs(messages, options)).toEqual(expected)
})

const approval: Pending = { tool_use_id: 'c', kind: 'approval', approval_id: 'i' }

test.each<[unknown, boolean]>([
  [undefined, true],
  [true, true],
  [{ approved: true }, true],
  [{ accepted: true, note: 'sure' }, true],
  [{ approved: true, arguments: { path: '/tmp' } }, true],
  [{ arguments: { path: '/tmp' } }, false],
  [{ approved: false }, false],
  [{ approved: 'true' }, false],
  [{ accepted: false }, false],
  [false, false],
  ['yes', true],
  ['yes, but later', false],
  [1, false],
  [[true], false],
])('of what was said, %j, the answer is %j', (payload, approved) => {
  const resume = [{ interruptId: 'i', status: 'resolved', ...(payload === undefined ? {} : { payload }) }]
  const [decision] = request({ ...ids, messages: [], resume }, { open: [approval] }).decisions
  expect(decision).toEqual({
    tool_use_id: 'c',
    approval_id: 'i',
    approved,
    ...(payload === undefined ? {} : { payload }),
  })
})

test.each<[string, object, RequestOptions, readonly object[]]>([
  [
    'a refusal',
    { resume: [{ interruptId: 'i', status: 'cancelled', payload: true }] },
    { open: [approval] },
    [{ approved: false }],
  ],
  ['an answer to nothing', { resume: [{ interruptId: 'old', status: 'resolved' }] }, { open: [approval] }, []],
  [
    'an answer once more, when nothing is open',
    { resume: [{ interruptId: 'i', status: 'resolved' }] },
    { open: [] },
    [],
  ],
  [
    'the first of two answers',
    {
      resume: [
        { interruptId: 'i', status: 'cancelled' },
        { interruptId: 'i', status: 'resolved' },
      ],
    },
    { open: [approval] },
    [{ approved: false }],
  ],
  [
    'the first of two answers, where the server has nothing',
    {
      resume: [
        { interruptId: 'i', status: 'cancelled' },
        { interruptId: 'i', status: 'resolved' },
      ],
    },
    {},
    [{ tool_use_id: 'i', approved: false }],
  ],
  [
    'an answer in a message',
    { messages: [calls('a', 'c'), answers('t', 'c', '{"approved":true}')] },
    { open: [approval] },
    [{ approved: true, payload: { approved: true } }],
  ],
  [
    'words in a message',
    { messages: [answers('t', 'c', 'Sure!')] },
    { open: [approval] },
    [{ approved: false, payload: 'Sure!' }],
  ],
  [
    'an error in a message',
    { messages: [{ ...answers('t', 'c', 'true'), error: 'dismissed' }] },
    { open: [approval] },
    [{ approved: false }],
  ],
  [
    'a message that was taken before',
    { messages: [answers('t', 'c', 'true')] },
    { open: [approval], known: new Set(['t']) },
    [],
  ],
  [
    'an answer by id before one in a message',
    { messages: [answers('t', 'c', 'true')], resume: [{ interruptId: 'i', status: 'cancelled' }] },
    { open: [approval] },
    [{ approved: false }],
  ],
  [
    'what the client gives for its own call',
    { resume: [{ interruptId: 'x', status: 'resolved', payload: 42 }] },
    { open: [{ tool_use_id: 'x', kind: 'client' }] },
    [{ tool_use_id: 'x', payload: 42 }],
  ],
])('decides by %s', (_, body, options, decisions) => {
  expect(request({ ...ids, messages: [], ...body }, options).decisions).toMatchObject(decisions)
  expect(request({ ...ids, messages: [], ...body }, options).decisions).toHaveLength(decisions.length)
})

test.each([
  [null, ''],
  ['{}', ''],
  [{ runId: 'r', messages: [] }, 'threadId'],
  [{ ...ids, runId: 7, messages: [] }, 'runId'],
  [ids, 'messages'],
  [{ ...ids, messages: {} }, 'messages'],
  [{ ...ids, messages: ['hi'] }, 'messages[0]'],
  [{ ...ids, messages: [user('u'), { role: 'user', content: 'x' }] }, 'messages[1].id'],
  [{ ...ids, messages: [user('u', null)] }, 'messages[0].content'],
  [{ ...ids, messages: [user('u', [{ type: 'text' }])] }, 'messages[0].content[0].text'],
  [
    { ...ids, messages: [{ id: 'a', role: 'assistant', toolCalls: [{ id: 'c', function: {} }] }] },
    'messages[0].toolCalls[0].function.name',
  ],
  [{ ...ids, messages: [], tools: [{ description: 'x' }] }, 'tools[0].name'],
  [{ ...ids, messages: [], context: [{ description: 'x', value: 1 }] }, 'context[0].value'],
  [{ ...ids, messages: [], resume: [{ interruptId: 'i', status: 'maybe' }] }, 'resume[0].status'],
])('refuses %j, and says where', (body, path) => {
  expect(() => request(body)).toThrow(FactwireError)
  expect(() => request(body)).toThrow(expect.objectContaining({ code: 'invalid_value', path }))
})

test('ids that are names of an object harm nothing', () => {
  const messages = [user('__proto__'), calls('constructor', 'toString'), answers('valueOf', 'toString')]
  expect(briefs(messages)).toHaveLength(3)
  expect(briefs(messages, { known: new Set(), open: [{ tool_use_id: 'toString', kind: 'client' }] })).toEqual([
    '__proto__ user: "Go."',
    'valueOf tool: toString ["ok"]',
  ])
})
