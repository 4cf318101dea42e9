import { FactwireError, type RequestOptions } from '@factwire/core'
import { expect, test } from 'vitest'
import { request } from '../src/index.ts'

const read = (input: unknown, options?: RequestOptions): ReturnType<typeof request> =>
  request({ model: 'm', input }, options)

const user = (text: string, more: object = {}): object => ({ role: 'user', content: text, ...more })
const assistant = (text: string, id?: string): object => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...(id === undefined ? {} : { id }),
})
const call = (call_id: string, args = '{}'): object => ({
  type: 'function_call',
  id: `fc_${call_id}`,
  call_id,
  name: 'choose',
  arguments: args,
})
const output = (call_id: string, text = 'red'): object => ({ type: 'function_call_output', call_id, output: text })
const client = (tool_use_id: string): { tool_use_id: string; kind: 'client' } => ({ tool_use_id, kind: 'client' })
const known = (...ids: string[]): ReadonlySet<string> => new Set(ids)

const told = ({ messages }: ReturnType<typeof request>): string[] =>
  messages.map(({ id, role, content }) => `${id} ${role}: ${content.map(wordOf).join(', ')}`)

function wordOf(block: ReturnType<typeof request>['messages'][number]['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'tool_use':
      return `calls ${block.id} ${JSON.stringify(block.input)}`
    case 'tool_result':
      return `of ${block.tool_use_id}: ${block.content.map(wordOf).join('')}`
    default:
      return block.type
  }
}

test('a text is what the user says', () => {
  expect(told(read('Hello'))).toEqual(['message-0 user: Hello'])
})

test('reads a conversation, its calls and results, where nobody keeps the thread', () => {
  const input = [
    { role: 'developer', content: 'Be brief.' },
    user('Which?', { id: 'u1' }),
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' },
    assistant('One of these.', 'msg_1'),
    call('c1', '{"from":[1]}'),
    call('c2', '{"from":'),
    output('c1'),
    { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'no' }] },
    { type: 'mcp_call', id: 'mcp_1', name: 'look_up', arguments: '{}', server_label: 's', output: 'wet' },
    { type: 'item_reference', id: 'x' },
    { type: 'web_search_call', id: 'ws', status: 'completed' },
  ]
  expect(told(read(input))).toEqual([
    'message-0 system: Be brief.',
    'u1 user: Which?',
    'msg_1 assistant: thinking, One of these., calls c1 {"from":[1]}, calls c2 null',
    'message-6 tool: of c1: red',
    'message-7 tool: of c2: no',
    'mcp_1 assistant: calls mcp_1 {}',
    'tool-mcp_1 tool: of mcp_1: wet',
  ])
})

test('takes pictures and files', () => {
  const content = [
    { type: 'input_text', text: 'See' },
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    { type: 'input_image', image_url: 'https://example.com/a.png' },
    { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' },
    { type: 'input_file', file_url: 'https://example.com/a.pdf' },
    { type: 'input_audio', data: 'x' },
  ]
  expect(read([user('', { content })]).messages[0]?.content).toEqual([
    { type: 'text', text: 'See' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' }, title: 'a.pdf' },
    { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
  ])
})

test('of a conversation that is sent again only what is new is taken', () => {
  const input = [user('Hi'), assistant('Hello.'), user('Which?'), assistant('This.', 'm2'), user('Why?')]
  expect(told(read(input, { known: known('m1', 'm2') }))).toEqual(['message-4 user: Why?'])
})

test('what has an id is known by it', () => {
  const input = [user('Hi', { id: 'u1' }), assistant('Hello.', 'm1'), user('And?', { id: 'u2' })]
  expect(told(read(input, { known: known('u1', 'm1') }))).toEqual(['u2 user: And?'])
  expect(told(read(input, { known: known('u1', 'm1', 'u2') }))).toEqual([])
})

test('behind the response before, all is new', () => {
  const asked = request({ previous_response_id: 'resp_1', input: [user('And?'), user('Go.')] }, { known: known('m1') })
  expect([asked.previousResponseId, told(asked)]).toEqual(['resp_1', ['message-0 user: And?', 'message-1 user: Go.']])
})

test('a result counts where its call waits for the client, wherever it stands, and once', () => {
  const input = [
    output('c1', 'made up'),
    user('Hi'),
    call('c2'),
    output('c2'),
    output('c2', 'again'),
    assistant('Hm.', 'm9'),
    user('So?'),
  ]
  expect(told(read(input, { known: known('m1'), open: [client('c2')] }))).toEqual([
    'message-3 tool: of c2: red',
    'message-6 user: So?',
  ])
  const { decisions } = read([output('c2')], { known: known(), open: [{ tool_use_id: 'c2', kind: 'approval' }] })
  expect(decisions).toEqual([])
})

test('calls are the server’s own to make', () => {
  const { messages } = read([user('Hi'), call('c1'), assistant('I did it.')], { known: known() })
  expect(messages.flatMap(({ content }) => content).some(({ type }) => type === 'tool_use')).toBe(false)
})

test.each([
  ['mcpr_c1', true, undefined, { approved: true }],
  ['c1', true, 'whatever', { approved: true }],
  ['perm-1', false, 'too risky', { approved: false, payload: 'too risky' }],
])('an answer to %s is a decision', (approval_request_id, approve, reason, said) => {
  const input = [{ type: 'mcp_approval_response', approval_request_id, approve, ...(reason ? { reason } : {}) }]
  const open = [{ tool_use_id: 'c1', kind: 'approval' as const, approval_id: 'perm-1' }, client('c2')]
  expect(read(input, { open }).decisions).toEqual([{ tool_use_id: 'c1', approval_id: 'perm-1', ...said }])
})

test('an answer counts once, and only for what is asked', () => {
  const answer = (approval_request_id: string, approve: boolean): object => ({
    type: 'mcp_approval_response',
    approval_request_id,
    approve,
  })
  const input = [answer('mcpr_c1', false), answer('mcpr_c1', true), answer('mcpr_other', true)]
  expect(read(input, { open: [{ tool_use_id: 'c1', kind: 'approval' }] }).decisions).toMatchObject([
    { approved: false },
  ])
  expect(read(input).decisions).toMatchObject([
    { tool_use_id: 'c1', approved: false },
    { tool_use_id: 'other', approved: true },
  ])
})

test('tools of type function are the client’s', () => {
  const tools = [
    { type: 'function', name: 'choose', description: 'asks', parameters: { type: 'object' }, strict: true },
    { type: 'custom', name: 'write_sql' },
    { type: 'web_search' },
    { type: 'mcp', server_label: 's', server_url: 'https://example.com' },
  ]
  expect(request({ input: 'x', tools }).tools).toEqual([
    { name: 'choose', description: 'asks', parameters: { type: 'object' } },
    { name: 'write_sql' },
  ])
})

test('says how to answer, and what to repeat', () => {
  const body = {
    model: 'm',
    input: 'x',
    stream: true,
    instructions: 'Be brief.',
    conversation: { id: 'conv_1' },
    include: ['reasoning.encrypted_content'],
    temperature: 0.5,
    metadata: { a: 'b' },
    max_output_tokens: null,
  }
  expect(request(body)).toMatchObject({
    model: 'm',
    stream: true,
    threadId: 'conv_1',
    instructions: 'Be brief.',
    encryptedReasoning: true,
    echo: { instructions: 'Be brief.', temperature: 0.5, metadata: { a: 'b' } },
    rest: { include: ['reasoning.encrypted_content'] },
  })
  expect(request({ input: 'x' })).toMatchObject({ stream: false, tools: [], encryptedReasoning: false, echo: {} })
})

test.each([
  ['body', 7],
  ['input', { input: 7 }],
  ['input[0]', { input: ['x'] }],
  ['input[0].role', { input: [{ role: 'robot', content: 'x' }] }],
  ['input[0].content', { input: [{ role: 'user', content: 7 }] }],
  ['input[0].call_id', { input: [{ type: 'function_call_output', output: 'x' }] }],
  ['input[0].output', { input: [{ type: 'function_call_output', call_id: 'c', output: 7 }] }],
  ['input[0].approve', { input: [{ type: 'mcp_approval_response', approval_request_id: 'x', approve: 'yes' }] }],
  ['tools[0].name', { input: 'x', tools: [{ type: 'function' }] }],
  ['stream', { input: 'x', stream: 'yes' }],
  ['metadata', { input: 'x', metadata: { a: Infinity } }],
])('refuses what is wrong at %s, and says where', (path, body) => {
  expect(refusal(body)).toMatchObject({ code: 'invalid_value', path, protocol: 'openai-responses' })
})

test('refuses more items than anybody sends', () => {
  expect(refusal({ input: Array.from({ length: 10_001 }, () => user('x')) })).toMatchObject({
    code: 'too_large',
    path: 'input',
  })
})

test('a key that names something of every object is a key like any other', () => {
  const body: unknown = JSON.parse(
    '{"input":[{"role":"user","content":"x","__proto__":{"polluted":1}}],"__proto__":{"model":"evil"},"metadata":{"__proto__":{"polluted":1}}}',
  )
  const asked = request(body)
  expect(asked.model).toBeUndefined()
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

function refusal(body: unknown): unknown {
  try {
    request(body)
    return 'nothing'
  } catch (error) {
    if (!(error instanceof FactwireError)) throw error
    const { code, path, protocol } = error
    return { code, path, protocol }
  }
}
