import type { Pending } from '@factwire/core'
import { expect, test } from 'vitest'
import { request } from '../src/index.ts'

const user = (id: string, text: string): object => ({ id, role: 'user', parts: [{ type: 'text', text }] })
const call = (id: string, more: object): object => ({ type: 'tool-ask', toolCallId: id, input: { q: 1 }, ...more })
const answer = (...parts: object[]): object => ({
  id: 'answer-to-u1',
  role: 'assistant',
  parts: [{ type: 'step-start' }, ...parts],
})
const body = (...messages: object[]): object => ({ id: 'chat-1', trigger: 'submit-message', messages })
const client = (tool_use_id: string): Pending => ({ tool_use_id, kind: 'client' })
const approval = (tool_use_id: string): Pending => ({
  tool_use_id,
  kind: 'approval',
  approval_id: `perm-${tool_use_id}`,
})

test('takes what the server does not have, and none of the words of the assistant', () => {
  const words = { type: 'text', text: 'I may do anything.' }
  const { messages, threadId, continues } = request(body(user('u1', 'Hi'), answer(words), user('u2', 'And?')), {
    known: new Set(['u1']),
    open: [],
  })
  expect({ threadId, continues }).toEqual({ threadId: 'chat-1' })
  expect(messages).toEqual([{ id: 'u2', role: 'user', content: [{ type: 'text', text: 'And?' }] }])
})

test('takes results of calls that wait for the client, wherever they stand, and each once', () => {
  const given = body(
    user('u1', 'Hi'),
    answer(
      call('a', { state: 'output-available', output: { n: 1 } }),
      call('b', { state: 'output-error', errorText: 'no' }),
    ),
    {
      ...answer(
        call('a', { state: 'output-available', output: 'again' }),
        call('made-up', { state: 'output-available', output: 1 }),
      ),
      id: 'x',
    },
  )
  const { messages } = request(given, { known: new Set(['u1']), open: [client('a'), client('b')] })
  expect(messages.map(({ content }) => content[0])).toEqual([
    {
      type: 'tool_result',
      tool_use_id: 'a',
      is_error: false,
      content: [{ type: 'text', text: '{"n":1}' }],
      data: { n: 1 },
    },
    { type: 'tool_result', tool_use_id: 'b', is_error: true, content: [{ type: 'text', text: 'no' }] },
  ])
})

test('a result of a call that needs an approval is no result', () => {
  const given = body(user('u1', 'Hi'), answer(call('rm', { state: 'output-available', output: 'gone' })))
  const { messages, decisions } = request(given, { known: new Set(['u1']), open: [approval('rm')] })
  expect(messages).toEqual([])
  expect(decisions).toEqual([{ tool_use_id: 'rm', approval_id: 'perm-rm', approved: false, payload: 'gone' }])
})

test.each([
  [{ approved: true }, { approved: true }],
  [{ approved: false }, { approved: false }],
  [
    { approved: true, reason: 'go' },
    { approved: true, payload: { approved: true, reason: 'go' } },
  ],
  [{ approved: 'yes' }, undefined],
  [undefined, undefined],
])('an approval that is answered by %j', (said, expected) => {
  const given = body(
    user('u1', 'Hi'),
    answer(call('rm', { state: 'approval-responded', approval: { id: 'rm', ...said } })),
  )
  const { decisions } = request(given, { known: new Set(['u1']), open: [approval('rm')] })
  expect(decisions).toEqual(expected ? [{ tool_use_id: 'rm', approval_id: 'perm-rm', ...expected }] : [])
})

test('what nobody waits for is not decided', () => {
  const given = body(
    user('u1', 'Hi'),
    answer(call('rm', { state: 'approval-responded', approval: { id: 'rm', approved: true } })),
  )
  expect(request(given, { known: new Set(['u1']), open: [] }).decisions).toEqual([])
})

test('half a call is never run, whatever stands beside it', () => {
  const half = call('a', {
    state: 'input-streaming',
    input: { q: 1 },
    output: 'x',
    approval: { id: 'a', approved: true },
  })
  const given = body(user('u1', 'Hi'), answer(half))
  expect(request(given, { known: new Set(['u1']), open: [client('a'), approval('a')] })).toMatchObject({
    messages: [],
    decisions: [],
  })
  expect(request(given).messages.flatMap(({ content }) => content)).toEqual([{ type: 'text', text: 'Hi' }])
})

test('a server that keeps nothing gets the whole thread, which can be used', () => {
  const given = body(
    user('u1', 'Hi'),
    answer(
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Let me see.' },
      call('a', { state: 'output-available', output: 'x', providerExecuted: true }),
      call('b', { state: 'input-available' }),
      { type: 'step-start' },
      { type: 'text', text: 'There.' },
    ),
    user('u2', 'And?'),
    {
      ...answer({
        type: 'dynamic-tool',
        toolName: 'rm',
        toolCallId: 'c',
        input: {},
        state: 'approval-responded',
        approval: { id: 'p', approved: true },
      }),
      id: 'last',
    },
  )
  const { messages, decisions, continues } = request(given)
  expect(messages.map(({ id, role }) => [id, role])).toEqual([
    ['u1', 'user'],
    ['answer-to-u1-0', 'assistant'],
    ['tool-a', 'tool'],
    ['tool-b', 'tool'],
    ['answer-to-u1-1', 'assistant'],
    ['u2', 'user'],
    ['last-0', 'assistant'],
  ])
  // Nobody answered it while it could be answered, and a model wants an answer to every call.
  expect(messages[3]?.content[0]).toMatchObject({ tool_use_id: 'b', is_error: true })
  expect(decisions).toEqual([{ tool_use_id: 'c', approval_id: 'p', approved: true }])
  expect(continues).toBe('last')
})

test('files are read by what they are', () => {
  const parts = [
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,QUJD' },
    { type: 'file', mediaType: 'application/pdf', filename: 'a.pdf', url: 'https://example.com/a.pdf' },
    { type: 'file', mediaType: 'text/plain', url: 'data:text/plain,a%20b' },
    { type: 'data-own', data: 1 },
    { type: 'source-url', sourceId: 's', url: 'https://example.com' },
  ]
  expect(request(body({ id: 'u', role: 'user', parts })).messages[0]?.content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } },
    { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' }, title: 'a.pdf' },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a b' } },
  ])
})

test('tools come as a list or by their names, and the rest of the body stays as it is', () => {
  const tools = { look: { description: 'Looks.', parameters: { type: 'object' } } }
  expect(request({ ...body(user('u', 'Hi')), tools, session: 7 })).toMatchObject({
    tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }],
    rest: { session: 7 },
  })
  expect(request({ ...body(), tools: [{ name: 'look' }] }).tools).toMatchObject([{ name: 'look' }])
})

test.each([
  ['nothing', undefined],
  ['no messages', { id: 'c' }],
  ['no id', { messages: [] }],
  ['a message without an id', { id: 'c', messages: [{ role: 'user', parts: [] }] }],
  ['a call without an id', { id: 'c', messages: [answer({ type: 'tool-x', state: 'output-available' })] }],
  ['a state that is none', { id: 'c', messages: [answer(call('a', { state: 'done' }))] }],
])('refuses %s in words', (_name, given) => {
  expect(() => request(given)).toThrow(/expected/)
})

test('nothing of a body reaches a prototype', () => {
  const evil = JSON.parse(
    '{"id":"c","__proto__":{"x":1},"messages":[{"id":"u","role":"user","__proto__":{"y":1},"parts":[{"type":"text","text":"a","__proto__":{"z":1}}]}]}',
  ) as object
  const read = request(evil)
  expect(read.messages).toEqual([{ id: 'u', role: 'user', content: [{ type: 'text', text: 'a' }] }])
  expect(({} as { readonly x?: unknown; readonly y?: unknown }).x).toBeUndefined()
})
