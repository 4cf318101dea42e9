import type { ContentBlock, Message, Role } from '@factwire/core'
import { expect, test } from 'vitest'
import { history, request } from '../src/index.ts'

const message = (role: Role, ...content: ContentBlock[]): Message => ({ id: `${role}-1`, role, content })
const text = (value: string): ContentBlock => ({ type: 'text', text: value })

test('a thread is input items, each call and result its own', () => {
  const thread = [
    message('system', text('Be brief.')),
    message('user', text('Which?')),
    message(
      'assistant',
      { type: 'thinking', text: 'hm', signature: 'rs_1', encrypted: 'x' },
      text('Let me '),
      text('see.'),
      { type: 'tool_use', id: 'c1', name: 'look_up', input: { city: 'Oslo' } },
      { type: 'tool_use', id: 'c2', name: 'look_up', input: null, raw_input: '{"ci' },
    ),
    message('tool', { type: 'tool_result', tool_use_id: 'c1', content: [text('4')], is_error: false }),
  ]
  expect(history({ messages: thread })).toEqual([
    { type: 'message', role: 'system', content: 'Be brief.' },
    { type: 'message', role: 'user', content: 'Which?' },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' },
    { type: 'message', role: 'assistant', content: 'Let me see.' },
    { type: 'function_call', call_id: 'c1', name: 'look_up', arguments: '{"city":"Oslo"}' },
    { type: 'function_call', call_id: 'c2', name: 'look_up', arguments: '{"ci' },
    { type: 'function_call_output', call_id: 'c1', output: '4' },
  ])
})

test('thoughts that no provider of this wire had are not sent to it', () => {
  const thread = [
    message('assistant', { type: 'thinking', text: 'hm', signature: 'sig' }, text('Hi.')),
    message('assistant', { type: 'thinking', text: '', signature: 'sig', encrypted: 'x' }, text('Hi.')),
  ]
  expect(history({ messages: thread }).map(({ type }) => type)).toEqual(['message', 'message'])
})

test('what is no text is a part of its own, or said in words', () => {
  const image: ContentBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
  const found: ContentBlock = {
    type: 'search_result',
    source: 'https://example.com',
    title: 'Rain',
    content: [{ type: 'text', text: 'wet' }],
  }
  const thread = [
    message(
      'user',
      text('See'),
      image,
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      found,
      { type: 'redacted' },
    ),
    message('tool', { type: 'tool_result', tool_use_id: 'c', content: [text('a'), image], is_error: false }),
  ]
  expect(history({ messages: thread })).toEqual([
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'See' },
        { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
        { type: 'input_file', file_url: 'https://example.com/a.pdf' },
        { type: 'input_text', text: 'Rain\nhttps://example.com\nwet' },
        { type: 'input_text', text: '[withheld]' },
      ],
    },
    {
      type: 'function_call_output',
      call_id: 'c',
      output: [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
      ],
    },
  ])
})

test('what was written is read back as the same thread', () => {
  const thread = [
    message('user', text('Which?')),
    message('assistant', text('This.'), { type: 'tool_use', id: 'c1', name: 'look_up', input: { a: 1 } }),
    message('tool', { type: 'tool_result', tool_use_id: 'c1', content: [text('4')], is_error: false }),
  ]
  const { messages } = request({ input: history({ messages: thread }) })
  expect(messages.map(({ role, content }) => ({ role, content }))).toEqual(
    thread.map(({ role, content }) => ({ role, content })),
  )
})
