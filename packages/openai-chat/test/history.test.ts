import { type ContentBlock, type Message, type ToolResultBlock, textOf } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyRun } from '@factwire/conformance'
import { history, type HistoryOptions } from '../src/history.ts'
import { request } from '../src/request.ts'

function message(role: Message['role'], ...content: readonly ContentBlock[]): Message {
  return { id: 'any', role, content }
}

function shaped(message: Message, options: HistoryOptions = {}): unknown {
  return history({ messages: [message] }, options)[0]
}

const text = (words: string): ContentBlock => ({ type: 'text', text: words })
const use = (input: string | null, raw_input?: string): ContentBlock => ({
  type: 'tool_use',
  id: 'c1',
  name: 'search',
  input,
  ...(raw_input === undefined ? {} : { raw_input }),
})
const result = (content: readonly ContentBlock[], more: Partial<ToolResultBlock> = {}): Message =>
  message('tool', { type: 'tool_result', tool_use_id: 'c1', content, is_error: false, ...more })

test('writes text alone as a string', () => {
  expect(shaped(message('system', text('be '), text('kind')))).toEqual({ role: 'system', content: 'be kind' })
  expect(shaped(message('user', text('hello')))).toEqual({ role: 'user', content: 'hello' })
  expect(shaped(message('assistant', text('hi')))).toEqual({ role: 'assistant', content: 'hi' })
})

test('writes media of a user as parts', () => {
  const image: ContentBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }
  const link: ContentBlock = { type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } }
  const kept: ContentBlock = { type: 'image', source: { type: 'file', file_id: 'f1' } }
  expect(shaped(message('user', text('look'), image, link, kept))).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'image_url', image_url: { url: 'https://a.test/b.png' } },
      { type: 'file', file: { file_id: 'f1' } },
    ],
  })
})

test('writes sound as audio and other documents as files', () => {
  const sound: ContentBlock = { type: 'document', source: { type: 'base64', media_type: 'audio/mpeg', data: 'AA==' } }
  const page: ContentBlock = {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
    title: 'a.pdf',
    context: 'the contract',
  }
  expect(shaped(message('user', sound, page))).toEqual({
    role: 'user',
    content: [
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
      { type: 'text', text: 'the contract' },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
    ],
  })
})

test('states what the wire has no part for as text', () => {
  const blocks: readonly ContentBlock[] = [
    { type: 'document', source: { type: 'url', url: 'https://a.test/b' }, title: 'B' },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' }, title: 'C' },
    { type: 'search_result', source: 'https://c.test', title: 'D', content: [{ type: 'text', text: 'found' }] },
    { type: 'redacted' },
  ]
  const texts = ['[document B https://a.test/b]', 'C\nwords', 'D\nhttps://c.test\nfound', '[withheld]']
  expect(shaped(message('user', ...blocks))).toEqual({
    role: 'user',
    content: texts.map((words) => ({ type: 'text', text: words })),
  })
})

test('writes calls beside the text, in the characters of the model', () => {
  expect(shaped(message('assistant', text('wait'), use(null, '{"q": 1')))).toEqual({
    role: 'assistant',
    content: 'wait',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'search', arguments: '{"q": 1' } }],
  })
  expect(shaped(message('assistant', use('x')))).toMatchObject({
    content: null,
    tool_calls: [{ function: { arguments: '"x"' } }],
  })
})

test('writes one message for each result of a stored message', () => {
  const one: ContentBlock = { type: 'tool_result', tool_use_id: 'c1', content: [text('a')], is_error: false }
  const other: ContentBlock = { type: 'tool_result', tool_use_id: 'c2', content: [text('b')], is_error: true }
  expect(history({ messages: [message('tool', one, other)] })).toEqual([
    { role: 'tool', tool_call_id: 'c1', content: 'a' },
    { role: 'tool', tool_call_id: 'c2', content: 'b' },
  ])
})

test('states media in a result on a line of its own', () => {
  const image: ContentBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }
  const { content } = shaped(result([text('be'), text('fore'), image, text('after')])) as { content: string }
  expect(content).toBe('before\n[image image/png]\nafter')
})

test('gives the data of a result that has no text, and says of a silent failure that it is one', () => {
  expect(shaped(result([], { data: { a: 1 } }))).toMatchObject({ content: '{"a":1}' })
  expect(shaped(result([]))).toMatchObject({ content: '' })
  expect(shaped(result([], { is_error: true }))).toMatchObject({ content: 'The call failed.' })
  expect(shaped(result([], { is_error: true, denied: true }))).toMatchObject({ content: 'The call was denied.' })
  expect(shaped(result([], { denied: true }))).toMatchObject({ content: 'The call was denied.' })
  expect(shaped(result([], { is_error: true, cancelled: true }))).toMatchObject({ content: 'The call was cancelled.' })
})

test('sends thoughts back only when asked, in the field that was asked for', () => {
  const thinking: ContentBlock = { type: 'thinking', text: 'hm', signature: 's', encrypted: 'e' }
  const thoughtful = message('assistant', thinking, text('hi'))
  expect(shaped(thoughtful)).toEqual({ role: 'assistant', content: 'hi' })
  expect(shaped(thoughtful, { reasoning: 'reasoning' })).toEqual({ role: 'assistant', content: 'hi', reasoning: 'hm' })
  expect(shaped(thoughtful, { reasoning: 'reasoning_content' })).toMatchObject({ reasoning_content: 'hm' })
  expect(shaped(thoughtful, { reasoning: 'reasoning_details' })).toEqual({
    role: 'assistant',
    content: 'hi',
    reasoning_details: [
      { type: 'reasoning.text', index: 0, text: 'hm', signature: 's' },
      { type: 'reasoning.encrypted', index: 0, data: 'e' },
    ],
  })
})

test('sends what is encrypted without a text that it does not have', () => {
  const sealed = message('assistant', { type: 'thinking', text: '', encrypted: 'e' }, text('hi'))
  expect(shaped(sealed, { reasoning: 'reasoning_details' })).toMatchObject({
    reasoning_details: [{ type: 'reasoning.encrypted', index: 0, data: 'e' }],
  })
})

test('gives the signature of a call back with the call', () => {
  const seal: ContentBlock = { type: 'thinking', text: '', signature: 'of the call' }
  const signed = message('assistant', seal, use('x'))
  const extra_content = { google: { thought_signature: 'of the call' } }
  expect(shaped(signed, { thoughtSignatures: true })).toMatchObject({ tool_calls: [{ extra_content }] })
  expect(shaped(signed, { thoughtSignatures: true })).not.toHaveProperty('extra_content')
  const thought = message('assistant', { type: 'thinking', text: 'hm', signature: 'of the call' }, use('x'))
  expect(shaped(thought, { thoughtSignatures: true })).not.toHaveProperty('tool_calls.0.extra_content')
  expect(JSON.stringify(shaped(signed))).not.toContain('of the call')
  const plain = message('assistant', { type: 'thinking', text: 'hm', signature: 'of the message' }, text('hi'))
  expect(shaped(plain, { thoughtSignatures: true })).toMatchObject({
    extra_content: { google: { thought_signature: 'of the message' } },
  })
})

/** What this wire carries of a message. */
function carried({ role, content }: Message): unknown {
  const thought = content.map((block) => (block.type === 'thinking' ? block.text : '')).join('')
  if (role !== 'tool') return { role, thought, text: textOf(content), calls: content.filter(isCall) }
  return content.map((block) => (block.type === 'tool_result' ? block.tool_use_id : block))
}

const isCall = (block: ContentBlock): boolean => block.type === 'tool_use'

test('is read back by the request reader as the same thread', () => {
  const prop = fc.property(anyRun(), ({ script }) => {
    const thread = script
      .flatMap((item) => ('commit' in item ? item.commit.messages : []))
      // One result a message, and no message without text or calls: those are not sent.
      .flatMap((stored) => (stored.role === 'tool' ? stored.content.map((block) => message('tool', block)) : [stored]))
      .filter((stored) => stored.role === 'tool' || textOf(stored.content) !== '' || stored.content.some(isCall))
    const messages = history({ messages: thread }, { reasoning: 'reasoning_details' })
    const back = request(JSON.parse(JSON.stringify({ messages }))).messages
    expect(back.map(carried)).toEqual(thread.map(carried))
  })
  fc.assert(prop, { seed: 1, numRuns: 200 })
})

test('keeps what a user sent without a word, and leaves out who said nothing', () => {
  const picture: ContentBlock = { type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } }
  expect(history({ messages: [message('user', picture), message('user', text(''))] })).toEqual([
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.test/b.png' } }] },
  ])
})
