import { expect, test } from 'vitest'
import type { TextDelta, ToolCallDelta } from '../src/event.ts'
import { createPreview } from '../src/preview.ts'

const text = (delta: string, offset?: number, message_id = 'm'): TextDelta => ({
  type: 'text_delta',
  delta,
  message_id,
  ...(offset === undefined ? {} : { offset }),
})

const args = (args_delta: string, more: Partial<ToolCallDelta> = {}): ToolCallDelta => ({
  type: 'tool_call_delta',
  id: 'c',
  name: 'edit',
  args_delta,
  message_id: 'm',
  ...more,
})

test('a fragment that goes on with the one before is shown as it is, and counts', () => {
  const preview = createPreview()
  const first = text('a', 0)
  preview.text(first)
  expect(preview.next(first, text('b', 1))).toBe('b')
  expect(preview.next(first, text('c', 2))).toBe('c')
  expect(preview.next(first, text('d'))).toBe('d')
  expect(preview.turn().text.shown.join('')).toBe('abcd')
  expect(preview.text(text('cde', 2))).toBe('e')
})

test('a fragment that is doubled, cut, empty, or comes after a hole is no simple one, and nothing has happened', () => {
  const preview = createPreview()
  const first = text('abc', 0)
  preview.text(first)
  for (const other of [text('abc', 0), text('cd', 2), text('', 3), text('e', 4)]) {
    expect(preview.next(first, other)).toBeUndefined()
  }
  expect(preview.turn().text).toMatchObject({ shown: ['abc'], end: 3, held: '' })
  const late = text('e', 4)
  expect(preview.text(late)).toBe('')
  expect(preview.next(first, text('d', 3))).toBeUndefined()
})

test('only the item of the fragment before goes on', () => {
  const preview = createPreview()
  const first = text('a', 0)
  preview.text(first)
  expect(preview.next(first, text('b', 1, 'other'))).toBeUndefined()
  expect(preview.next(first, { type: 'reasoning_delta', delta: 'b', message_id: 'm' })).toBeUndefined()
  expect(preview.next(first, args('b'))).toBeUndefined()
  expect(preview.next(text('a', 0), text('b', 1))).toBeUndefined()
})

test('arguments go on where the ids are the same, whatever else a fragment repeats of its call', () => {
  const preview = createPreview()
  const first = args('{', { disposition: 'pending_client' })
  preview.call(first)
  for (const other of [args('"', { id: 'd' }), args('"', { message_id: 'other' }), text('"', 1)]) {
    expect(preview.next(first, other)).toBeUndefined()
  }
  expect(preview.next(first, args('}', { name: '' }))).toBe('}')
})

test('what is held back is not shown early', () => {
  const preview = createPreview()
  preview.text(text('a', 0))
  const later = text('b', 0, 'later')
  expect(preview.text(later)).toBe('')
  expect(preview.next(later, text('c', 1, 'later'))).toBeUndefined()
})
