import { createParser, type EventSourceMessage } from 'eventsource-parser'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatSseComment, formatSseData, formatSseDataWithId, formatSseMessage, heartbeat } from '../src/format.ts'

function readBack(text: string): EventSourceMessage[] {
  const messages: EventSourceMessage[] = []
  createParser({ onEvent: (message) => messages.push(message) }).feed(text)
  return messages
}

test('data is one line and a blank one', () => {
  expect(formatSseData('{"a":1}')).toBe('data: {"a":1}\n\n')
})

test('an id comes first, and 0 is one', () => {
  expect(formatSseDataWithId('{}', 0)).toBe('id: 0\ndata: {}\n\n')
  expect(formatSseDataWithId('{}', 'a-7')).toBe('id: a-7\ndata: {}\n\n')
})

test('a message has its event name, its id and its data', () => {
  expect(formatSseMessage({ event: 'error', id: '4', data: 'x' })).toBe('event: error\nid: 4\ndata: x\n\n')
  expect(formatSseMessage({ data: 'x' })).toBe('data: x\n\n')
})

test('a heartbeat is a comment with one line feed', () => {
  expect(heartbeat).toBe(': heartbeat\n')
  expect(formatSseComment('heartbeat')).toBe(heartbeat)
})

test.each(['\r', '\n', '\r\n', '\0'])('an id or event name with %j throws', (bad) => {
  expect(() => formatSseDataWithId('{}', `1${bad}data: forged`)).toThrow(TypeError)
  expect(() => formatSseMessage({ data: '{}', event: `a${bad}b` })).toThrow(TypeError)
  expect(() => formatSseMessage({ data: '{}', id: `a${bad}b` })).toThrow(TypeError)
})

test.each(['\r', '\n', '\r\n'])('data or a comment with %j throws', (bad) => {
  expect(() => formatSseData(`{${bad}}`)).toThrow(TypeError)
  expect(() => formatSseDataWithId(`{${bad}}`, 1)).toThrow(TypeError)
  expect(() => formatSseMessage({ data: `{${bad}}` })).toThrow(TypeError)
  expect(() => formatSseComment(`a${bad}b`)).toThrow(TypeError)
})

test.each([Number.NaN, 1.5, Infinity])('%d is no id', (seq) => {
  expect(() => formatSseDataWithId('{}', seq)).toThrow(TypeError)
})

test('whatever is written is one message with the same parts', () => {
  const part = fc.string({ unit: 'binary' }).filter((text) => text.length > 0 && !/[\0\r\n]/.test(text))
  fc.assert(
    fc.property(fc.record({ data: part, event: part, id: part }), (message) => {
      expect(readBack(formatSseMessage(message))).toEqual([message])
    }),
    { seed: 1, numRuns: 500 },
  )
})
