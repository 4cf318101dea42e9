import { deepStrictEqual } from 'node:assert/strict'
import { FactwireError, parseMessage, parseMessages } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { json, message } from './arbitraries.ts'

function outcome(value: unknown): string {
  try {
    parseMessage(value)
  } catch (error) {
    if (error instanceof FactwireError) return error.code
    throw error
  }
  return 'accepted'
}

test('gives back every message', () => {
  fc.assert(
    fc.property(message, (stored) => {
      const parsed = parseMessage(JSON.parse(JSON.stringify(stored)))
      deepStrictEqual(parsed, stored)
      expect(JSON.stringify(parsed)).toBe(JSON.stringify(stored))
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('throws nothing but its own error, whatever JSON comes', () => {
  const shape = fc.record(
    { id: json, role: json, content: json, tool_calls: json, tool_call_id: json },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(json, shape), (value) => {
      expect(outcome(value)).toMatch(/^(?:accepted|invalid_value)$/)
    }),
    { seed: 1, numRuns: 500 },
  )
})

test.each(['Assistant', 'assistant', 'ASSISTANT'])('reads the role %s', (role) => {
  expect(parseMessage({ id: 'm', role, content: [] }).role).toBe('assistant')
})

test('reads a bare string as one text block, also inside a result', () => {
  expect(parseMessage({ id: 'm', role: 'user', content: 'hi' }).content).toStrictEqual([{ type: 'text', text: 'hi' }])
  const block = { type: 'tool_result', tool_use_id: 'c', content: 'ok' }
  expect(parseMessage({ id: 'm', role: 'tool', content: [block] }).content).toStrictEqual([
    { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'ok' }], is_error: false },
  ])
})

test('reads the older thinking block', () => {
  const content = [{ type: 'thinking', thinking: 'hmm', signature: 's' }]
  expect(parseMessage({ id: 'm', role: 'assistant', content }).content).toStrictEqual([
    { type: 'thinking', text: 'hmm', signature: 's' },
  ])
})

test('moves calls that stand beside the content into it, behind the text, and each once', () => {
  const stored = {
    id: 'm',
    role: 'assistant',
    content: [
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'c1', name: 'f', input: {} },
    ],
    tool_calls: [
      { id: 'c1', name: 'f', arguments: {} },
      { id: 'c2', name: 'g', arguments: { x: 1 } },
      { id: 'c3', name: 'g' },
    ],
  }
  expect(parseMessage(stored).content).toStrictEqual([
    { type: 'text', text: 'a' },
    { type: 'tool_use', id: 'c1', name: 'f', input: {} },
    { type: 'tool_use', id: 'c2', name: 'g', input: { x: 1 } },
    { type: 'tool_use', id: 'c3', name: 'g', input: null },
  ])
  expect(parseMessage({ id: 'm', role: 'assistant', content: null, tool_calls: [] }).content).toStrictEqual([])
})

test('makes the content of an answering tool message its result', () => {
  expect(parseMessage({ id: 'm', role: 'tool', content: 'ok', tool_call_id: 'c1' }).content).toStrictEqual([
    { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'ok' }], is_error: false },
  ])
  const block = { type: 'tool_result', tool_use_id: 'c1', content: [], is_error: true }
  expect(parseMessage({ id: 'm', role: 'tool', content: [block], tool_call_id: 'c1' }).content).toStrictEqual([block])
})

test('gives messages without an id one from their place, and refuses a single one', () => {
  const stored = { role: 'user', content: 'hi' }
  expect(parseMessages([stored, { ...stored, id: 'x' }, stored]).map(({ id }) => id)).toStrictEqual([
    'message-0',
    'x',
    'message-2',
  ])
  expect(() => parseMessage(stored)).toThrow('id: expected a string, got nothing')
})

test('gives no message the id that another one has', () => {
  const ids = ['message-1', undefined, 'message-1-2', null].map((id) => ({ id, role: 'user', content: [] }))
  expect(parseMessages(ids).map(({ id }) => id)).toStrictEqual(['message-1', 'message-1-3', 'message-1-2', 'message-3'])
})

test('names the path in a thread', () => {
  expect(() => parseMessages([{ id: 'm', role: 'user', content: [{ type: 'video' }] }])).toThrow(
    'messages[0].content[0].type: expected one of text, image',
  )
  expect(() => parseMessages([{ id: 'm', role: 'robot', content: [] }])).toThrow(
    'messages[0].role: expected one of system, user, assistant, tool, got "robot"',
  )
  expect(() => parseMessages({})).toThrow('messages: expected an array, got object')
})
