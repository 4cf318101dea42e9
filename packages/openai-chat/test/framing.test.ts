import { FactwireError, type WireMessage } from '@factwire/core'
import { expect, test } from 'vitest'
import { framing } from '../src/index.ts'

const CHUNK = { id: 'x', choices: [] }
const parse = (data: string, more: Partial<WireMessage> = {}): unknown => framing.parse({ data, ...more })
const stray = (data: string): unknown => parse(data, { stray: true })

test('reads chunks, whatever the event is called', () => {
  const data = JSON.stringify(CHUNK)
  for (const event of [undefined, 'message', 'chunk', 'thread.message']) {
    expect(framing.parse(event === undefined ? { data } : { data, event })).toEqual(CHUNK)
  }
  expect(parse(` ${data}`)).toEqual(CHUNK)
  expect(parse('{\n "id": "x",\n "choices": []\n}')).toEqual(CHUNK)
})

test('reads the end mark with any space around it', () => {
  for (const data of ['[DONE]', ' [DONE]', '[DONE] ', '[DONE]\r']) expect(parse(data)).toBe('[DONE]')
  expect(parse('[DONE]', { event: 'done' })).toBe('[DONE]')
  expect(stray('[DONE]')).toBe('[DONE]')
})

test('skips what says nothing', () => {
  for (const data of ['', ' ', '\n', 'null']) expect(parse(data)).toBeUndefined()
  expect(parse('{"foo":1}', { event: 'tool.result' })).toBeUndefined()
  expect(parse('{"message":"working"}', { event: 'tool.progress' })).toBeUndefined()
  expect(stray('')).toBeUndefined()
  expect(stray('x-request-id: 1')).toBeUndefined()
})

test('row 51: reads lines that lack their field name', () => {
  expect(stray(JSON.stringify(CHUNK))).toEqual(CHUNK)
  expect(stray(`  ${JSON.stringify(CHUNK)}`)).toEqual(CHUNK)
  expect(stray(` data: ${JSON.stringify(CHUNK)}`)).toEqual(CHUNK)
  expect(stray('Data: [DONE]')).toBe('[DONE]')
})

test('refuses what is no frame', () => {
  for (const line of ['oops', '<!DOCTYPE html>', '{"id":', 'Internal Server Error']) {
    expect(() => stray(line)).toThrow(FactwireError)
  }
  for (const data of ['oops', '12', '"x"', '[]', '{"a"']) expect(() => parse(data)).toThrow(FactwireError)
})

test('writes frames that it reads again', () => {
  const frames = [CHUNK, { error: { message: 'line\u2028break' } }, '[DONE]'] as const
  for (const frame of frames) {
    const text = framing.text(frame)
    expect(text).toMatch(/^data: [^\n\u2028]*\n\n$/)
    expect(parse(text.slice('data: '.length, -2))).toEqual(frame)
  }
})
