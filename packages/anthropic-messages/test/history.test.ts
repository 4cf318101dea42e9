import type { ContentBlock, Message, Role } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { history } from '../src/index.ts'

let count = 0
const message = (role: Role, ...content: ContentBlock[]): Message => ({ id: `m${count++}`, role, content })
const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const call = (id: string, input: unknown = {}): ContentBlock => ({
  type: 'tool_use',
  id,
  name: 'look',
  input: input as null,
})
const result = (id: string, more: object = {}): ContentBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [{ type: 'text', text: `of ${id}` }],
  is_error: false,
  ...more,
})

const of = (...messages: Message[]): ReturnType<typeof history> => history({ messages })

test('the words of the system stand apart, and roles alternate', () => {
  expect(
    of(
      message('system', text('Be brief.')),
      message('user', text('One.')),
      message('user', text('Two.')),
      message('assistant', text('A.')),
      message('assistant', text('B.')),
      message('system', text('Be kind.')),
      message('user', text('?')),
    ),
  ).toEqual({
    system: 'Be brief.\n\nBe kind.',
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'One.\n\nTwo.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'A.\n\nB.' }] },
      { role: 'user', content: [{ type: 'text', text: '?' }] },
    ],
  })
  expect(of(message('user', text('Go.')))).not.toHaveProperty('system')
})

test('the results of a turn are one message, before whatever else the user says', () => {
  const { messages } = of(
    message('user', text('Go.')),
    message('assistant', text('Look.'), call('a'), call('b')),
    message('tool', result('a')),
    message('user', text('Faster.')),
    message('tool', result('b', { is_error: true })),
    message('assistant', text('Done.')),
  )
  expect(messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'tool_use', id: 'a', name: 'look', input: {} },
        { type: 'tool_use', id: 'b', name: 'look', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'of a' }] },
        { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'of b' }], is_error: true },
        { type: 'text', text: 'Faster.' },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
  ])
})

test('thoughts go back with their signature, where they stood; without one they stay', () => {
  const { messages } = of(
    message(
      'assistant',
      { type: 'thinking', text: 'Hm.', signature: 's' },
      { type: 'thinking', text: '', encrypted: 'x' },
      { type: 'thinking', text: 'unsigned' },
      // Sealed by a provider of another wire.
      { type: 'thinking', text: 'Elsewhere.', signature: 'rs_1', encrypted: 'y' },
      call('a'),
      { type: 'thinking', text: '', signature: 't' },
      call('b'),
    ),
  )
  expect(messages[0]?.content).toEqual([
    { type: 'thinking', thinking: 'Hm.', signature: 's' },
    { type: 'redacted_thinking', data: 'x' },
    { type: 'tool_use', id: 'a', name: 'look', input: {} },
    { type: 'thinking', thinking: '', signature: 't' },
    { type: 'tool_use', id: 'b', name: 'look', input: {} },
  ])
})

test('arguments are an object, and ids are of characters that the wire takes, alike in calls and results', () => {
  const { messages } = of(message('assistant', call('call:1/ä', 'x')), message('tool', result('call:1/ä')))
  expect(messages).toMatchObject([
    { content: [{ id: 'call_1__', input: {} }] },
    { content: [{ tool_use_id: 'call_1__' }] },
  ])
})

test('texts of white space alone, and messages that say nothing, are left out', () => {
  expect(of(message('user', text(' ')), message('user', text('a'), text('\n\n'), text('b'))).messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'a\n\nb' }] },
  ])
  expect(of(message('user', text(' \n'))).messages).toEqual([])
  expect(of(message('assistant', { type: 'thinking', text: 'hm', signature: 's' })).messages).toEqual([])
})

test('what the wire has goes as it is, and the rest is stated', () => {
  const { messages } = of(
    message(
      'user',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/tiff', data: 'AA==' } },
      { type: 'image', source: { type: 'url', url: 'https://e.com/a.png' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' }, title: 'T' },
      { type: 'document', source: { type: 'base64', media_type: 'audio/wav', data: 'AA==' }, title: 'T', context: 'C' },
      { type: 'document', source: { type: 'text', media_type: 'text/markdown', data: '# x' }, context: 'C' },
      { type: 'document', source: { type: 'file', file_id: 'f' } },
      { type: 'search_result', source: 'https://e.com', title: 'E', content: [{ type: 'text', text: 'x' }] },
      { type: 'search_result', source: 'https://e.com', title: 'E', content: [] },
      { type: 'redacted' },
    ),
  )
  expect(messages[0]?.content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
    { type: 'text', text: '[image image/tiff]' },
    { type: 'image', source: { type: 'url', url: 'https://e.com/a.png' } },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
      title: 'T',
    },
    { type: 'text', text: '[document T audio/wav]\nC' },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '# x' }, context: 'C' },
    { type: 'document', source: { type: 'file', file_id: 'f' } },
    { type: 'search_result', source: 'https://e.com', title: 'E', content: [{ type: 'text', text: 'x' }] },
    { type: 'text', text: 'E\nhttps://e.com[withheld]' },
  ])
})

test('a result says what it can', () => {
  const of1 = (more: object): unknown => of(message('tool', result('a', more))).messages[0]?.content[0]
  const base = { type: 'tool_result', tool_use_id: 'a' }
  expect(of1({ content: [], data: { n: 1 } })).toEqual({ ...base, content: [{ type: 'text', text: '{"n":1}' }] })
  expect(of1({ content: [] })).toEqual({ ...base, content: [] })
  expect(of1({ content: [], is_error: true })).toEqual({
    ...base,
    content: [{ type: 'text', text: 'The call failed.' }],
    is_error: true,
  })
  expect(of1({ content: [], denied: true })).toMatchObject({
    content: [{ text: 'The call was denied.' }],
    is_error: true,
  })
  expect(of1({ content: [], cancelled: true })).toMatchObject({ content: [{ text: 'The call was cancelled.' }] })
})

const anyBlock = fc.oneof(
  fc.constantFrom('', ' ', 'a', 'b').map(text),
  fc.constantFrom('x', 'y').map((id) => call(id)),
  fc.constantFrom('x', 'y').map((id) => result(id)),
)
const anyMessage = fc
  .tuple(fc.constantFrom<Role>('user', 'assistant', 'tool', 'system'), fc.array(anyBlock, { maxLength: 4 }))
  .map(([role, content]) => message(role, ...content))

test('whatever the thread, no text is blank, roles alternate and results stand first', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 8 }), (thread) => {
      const { messages } = history({ messages: thread })
      messages.forEach(({ role, content }, index) => {
        expect(role).not.toBe(messages[index - 1]?.role)
        expect(content.length).toBeGreaterThan(0)
        const kinds: string[] = content.map(({ type }) => type)
        const results = kinds.filter((kind) => kind === 'tool_result')
        expect(kinds.slice(0, results.length)).toEqual(results)
        expect(content.filter((block) => block.type === 'text' && block.text.trim() === '')).toEqual([])
      })
    }),
    { seed: 20_261_130, numRuns: 500 },
  )
})
