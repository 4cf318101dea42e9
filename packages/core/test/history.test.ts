import { type ContentBlock, foldHistory, hasText, type Message, type Role } from '@factwire/core'
import { expect, test } from 'vitest'

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const call: ContentBlock = { type: 'tool_use', id: 'c1', name: 'read', input: {} }
const result = (id: string): ContentBlock => ({ type: 'tool_result', tool_use_id: id, content: [], is_error: false })
const image: ContentBlock = { type: 'image', source: { type: 'url', url: 'u' } }
const message = (id: string, role: Role, ...content: ContentBlock[]): Message => ({ id, role, content })

function walk(...messages: Message[]): string[] {
  const seen: string[] = []
  foldHistory(messages, {
    system: ({ id }) => seen.push(`system ${id}`),
    user: ({ id }) => seen.push(`user ${id}`),
    assistant: ({ id }) => seen.push(`assistant ${id}`),
    toolResult: ({ tool_use_id }, messageId, index) => seen.push(`result ${messageId} ${index} ${tool_use_id}`),
  })
  return seen
}

test('walks a thread in its order', () => {
  expect(
    walk(
      message('s', 'system', text('be nice')),
      message('u', 'user', text('hi')),
      message('a1', 'assistant', text('a'), call),
      message('t', 'tool', result('c1'), result('c2')),
      message('a2', 'assistant', text('b')),
    ),
  ).toStrictEqual(['system s', 'user u', 'assistant a1', 'result t 0 c1', 'result t 1 c2', 'assistant a2'])
})

test('leaves out messages without text, but keeps an assistant that made calls', () => {
  expect(
    walk(
      message('s', 'system', text('')),
      message('u1', 'user', text('')),
      message('u2', 'user'),
      message('a1', 'assistant', text(''), text('')),
      message('a2', 'assistant', { type: 'thinking', text: 'hmm' }),
      message('a3', 'assistant', text(''), call),
    ),
  ).toStrictEqual(['assistant a3'])
})

test('gives what a user sent without a word only to whoever asks for it', () => {
  const file: ContentBlock = { type: 'document', source: { type: 'file', file_id: 'f' } }
  const thread = [message('u1', 'user', image), message('u2', 'user', file, text('')), message('u3', 'user', text(''))]
  expect(walk(...thread)).toStrictEqual([])
  const asked: string[] = []
  foldHistory(thread, {
    system() {},
    user: ({ id }) => asked.push(`user ${id}`),
    media: ({ id }) => asked.push(`media ${id}`),
    assistant() {},
    toolResult() {},
  })
  expect(asked).toStrictEqual(['media u1', 'media u2'])
})

test('gives only the results of a tool message, counted among themselves', () => {
  expect(walk(message('t', 'tool', text('noise'), result('c1'), image, result('c2')))).toStrictEqual([
    'result t 0 c1',
    'result t 1 c2',
  ])
})

test('takes white space for text, and the text inside a result for none', () => {
  expect(hasText(message('m', 'assistant', text('\n')))).toBe(true)
  expect(hasText(message('m', 'assistant', text('')))).toBe(false)
  const told: ContentBlock = { type: 'tool_result', tool_use_id: 'c', content: [text('a')], is_error: false }
  expect(hasText(message('m', 'assistant', told))).toBe(false)
})
