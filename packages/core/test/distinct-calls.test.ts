import { expect, test } from 'vitest'
import { argumentsOf, callIn, distinctCalls, type Message, sinceRequest } from '../src/index.ts'

const calls = (id: string, ...ids: string[]): Message => ({
  id,
  role: 'assistant',
  content: ids.map((call) => ({ type: 'tool_use', id: call, name: 'f', input: null })),
})
const result = (id: string, call: string): Message => ({
  id,
  role: 'tool',
  content: [{ type: 'tool_result', tool_use_id: call, content: [], is_error: false }],
})
const idsIn = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type === 'tool_use') return [block.id]
      return block.type === 'tool_result' ? [`of ${block.tool_use_id}`] : []
    }),
  )

test('calls that share an id get ids of their own, and results go to the oldest that has none', () => {
  const messages = [calls('m', 'c', 'c'), result('r', 'c'), result('s', 'c'), calls('n', 'c', 'd')]
  const openCalls = [
    { id: 'c', name: 'f', message_id: 'n' },
    { id: 'd', name: 'f', message_id: 'n' },
  ]
  const { messages: told, open } = distinctCalls({ messages, standing: { openCalls } })
  expect(idsIn(told)).toEqual(['c', 'c-2', 'of c', 'of c-2', 'c-3', 'd'])
  expect(open.map(({ id, wireId }) => [id, wireId])).toEqual([
    ['c', 'c-3'],
    ['d', 'd'],
  ])
})

test('a thread whose ids are distinct is told as it is, and a call from before it keeps its id', () => {
  const messages = [calls('m', 'c', 'd'), result('r', 'd')]
  const openCalls = [{ id: 'z', name: 'f', message_id: 'before' }]
  const { messages: told, open } = distinctCalls({ messages, standing: { openCalls } })
  expect(told).toEqual(messages)
  expect(told[0]).toBe(messages[0])
  expect(open).toEqual([{ ...openCalls[0], wireId: 'z', disposition: undefined }])
})

test('who runs a call is told by its message, where calls share an id, and stays so once it has a result', () => {
  const messages = [calls('m', 'c'), result('r', 'c'), calls('n', 'c')]
  const openCalls = [{ id: 'c', name: 'f', message_id: 'n' }]
  const dispositions = [{ id: 'c', message_id: 'm', disposition: 'pending_client' }] as const
  const told = distinctCalls({ messages, standing: { openCalls }, dispositions })
  expect([...told.dispositions]).toEqual([
    ['c', 'pending_client'],
    ['c-2', 'executed'],
  ])
  expect(told.open).toMatchObject([{ wireId: 'c-2', disposition: 'executed' }])
  // Nobody has noted it: then it is seen of a call without result.
  const seen = distinctCalls({ messages, standing: { openCalls }, pending: [{ tool_use_id: 'c', kind: 'approval' }] })
  expect([...seen.dispositions.values()]).toEqual([undefined, 'pending_builtin'])
})

test('of calls that share an id the oldest without a result is meant, and the last where all have one', () => {
  const call = (message: string, input: number): Message => ({
    id: message,
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'c', name: 'f', input }],
  })
  const thread = [call('m', 1), result('r', 'c'), call('n', 2), call('o', 3)]
  expect(callIn(thread, 'c')?.input).toBe(2)
  expect(callIn([...thread, result('s', 'c')], 'c')?.input).toBe(3)
  expect(callIn([...thread, result('s', 'c'), result('t', 'c')], 'c')?.input).toBe(3)
  expect(callIn(thread, 'd')).toBeUndefined()
})

test('arguments are told as they were streamed, where that is not what their value gives', () => {
  expect(argumentsOf({ input: { a: 1 } })).toBe('{"a":1}')
  expect(argumentsOf({ input: { a: 1 }, raw_input: '{ "a": 1.0 }' })).toBe('{ "a": 1.0 }')
  expect(argumentsOf({ input: null, raw_input: '' })).toBe('')
})

test('what came since the request is what the thread before it has not, or else what follows the last word of the user', () => {
  const message = (id: string, role: Message['role']): Message => ({ id, role, content: [] })
  const thread = [message('a', 'user'), message('b', 'assistant'), message('c', 'user'), message('d', 'assistant')]
  const since = (history?: readonly Message[]): string =>
    sinceRequest(thread, history)
      .map(({ id }) => id)
      .join('')
  expect(since()).toBe('d')
  expect(since(thread.slice(0, 1))).toBe('bcd')
  expect(since([])).toBe('abcd')
  expect(since(thread)).toBe('')
})
