import { frameReader, type Framing, isObject, type Json, parseJson, type WireMessage } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'

type Frame = { readonly [key: string]: Json }

/** Frames are any objects, and `count` in them is noise. Counts how often it was asked. */
function counted(): { readonly framing: Framing<Frame>; readonly parsed: () => number } {
  let parsed = 0
  const framing: Framing<Frame> = {
    mediaType: 'text/plain',
    headers: {},
    heartbeat: '',
    text: (frame) => JSON.stringify(frame),
    parse({ data }) {
      parsed++
      const value = parseJson(data)
      return isObject(value) ? (value as Frame) : undefined
    },
    fragments: [['say'], ['list', 0, 'say']],
    noise: ['count'],
  }
  return { framing, parsed: () => parsed }
}

function read(texts: readonly string[]): { readonly frames: readonly (Frame | undefined)[]; readonly parsed: number } {
  const { framing, parsed } = counted()
  const next = frameReader(framing)
  return { frames: texts.map((data) => next({ data })), parsed: parsed() }
}

const says = (...words: readonly string[]): string[] => words.map((say) => JSON.stringify({ id: 'm', say, n: 1 }))

test('parses messages that differ in their fragment alone no more than twice', () => {
  const words = ['a', 'b', '', '"', 'a line\nand another', '\\', '😀', 'm', 'b']
  const { frames, parsed } = read(says(...words))
  expect(frames).toStrictEqual(words.map((say) => ({ id: 'm', say, n: 1 })))
  expect(parsed).toBe(2)
})

test('keeps what stands around a fragment inside lists, and changes no frame that it gave', () => {
  const { frames, parsed } = read(['a', 'b', 'c'].map((say) => JSON.stringify({ list: [{ n: 1, say, m: 2 }, 5] })))
  expect(frames).toStrictEqual(['a', 'b', 'c'].map((say) => ({ list: [{ n: 1, say, m: 2 }, 5] })))
  expect(parsed).toBe(2)
})

test('looks over noise, a number or a string, before and behind the fragment', () => {
  const texts = ['a', 'b', 'c', 'd'].map((say, count) => `{"count":${9 + count},"say":"${say}"}`)
  const padded = ['a', 'b', 'c', 'd'].map((say, count) => `{"say":"${say}","count": "${'x'.repeat(count)}"}`)
  expect(read(texts).parsed).toBe(2)
  expect(read(padded).parsed).toBe(2)
  expect(read(padded).frames.map((frame) => frame?.['say'])).toStrictEqual(['a', 'b', 'c', 'd'])
})

test('parses a message again that says anything else', () => {
  const others = [
    '{"id":"n","say":"x","n":1}',
    '{"id":"m","say":"x","n":2}',
    '{"id":"m","say":"x","n":1,"more":true}',
    '{"id":"m","say":"x","say":"y","n":1}',
    '{"id":"m","say":["x"],"n":1}',
    ' {"id":"m","say":"x","n":1}',
  ]
  for (const other of others) {
    expect(read([...says('a', 'b'), other]).frames.at(-1)).toStrictEqual(JSON.parse(other))
    expect(read([...says('a', 'b'), other]).parsed).toBe(3)
  }
})

test('leaves to the parser what is no JSON', () => {
  for (const broken of ['{"id":"m","say":"\\x","n":1}', '{"id":"m","say":"\n","n":1}', '{"id":"m","say":"x,"n":1}']) {
    expect(() => read([...says('a', 'b'), broken])).toThrow(/JSON/)
  }
})

test.each([
  ['no value', '{"count":,"say":"c"}'],
  ['a number with a zero before it', '{"count":007,"say":"c"}'],
  ['an escape that there is not', '{"count":"\\q","say":"c"}'],
  ['a control character', '{"count":"\u0001","say":"c"}'],
])('leaves to the parser noise that is no JSON: %s', (_, last) => {
  const value = last.includes('":"') ? '"1"' : '1'
  expect(() => read([`{"count":${value},"say":"a"}`, `{"count":${value},"say":"b"}`, last])).toThrow('JSON')
})

test('takes no number for noise that is only the beginning of one, and no name that is the end of another', () => {
  const negative = [-1, -2, -30].map((count) => JSON.stringify({ count, say: `${count}` }))
  expect(read(negative).frames).toStrictEqual(negative.map((text) => JSON.parse(text) as Frame))
  expect(() => read([...negative, '{"count":5-30,"say":"c"}'])).toThrow('JSON')
  const named = ['a', 'b', 'c'].map((say) => JSON.stringify({ 'a "count': say, say }))
  expect(read(named).frames).toStrictEqual(named.map((text) => JSON.parse(text) as Frame))
})

test('takes no other place for the fragment, such as one that repeats it once', () => {
  const texts = ['a', 'b', 'c'].map((word) => `{"say":"\\u00${word.charCodeAt(0).toString(16)}","note":"${word}"}`)
  const mixed = [...texts, '{"say":"\\u0061","note":"z"}', '{"say":"\\u0063","note":"z"}']
  expect(read(mixed).frames).toStrictEqual(mixed.map((text) => JSON.parse(text) as Json))
})

test('parses a message of another event, one outside the grammar, and one that was cut', () => {
  const { framing, parsed } = counted()
  const next = frameReader(framing)
  const [one = '', two = '', data = ''] = says('a', 'b', 'c')
  const others: readonly WireMessage[] = [
    { data, event: 'other' },
    { data, stray: true },
    { data, cut: true },
  ]
  for (const message of [{ data: one }, { data: two }, ...others]) next(message)
  expect(parsed()).toBe(5)
})

/** How a message stands around what it says: by spelling, by white space, by members that come twice. */
const anyShape = fc.record({
  escaped: fc.boolean(),
  space: fc.constantFrom('', ' '),
  before: fc.constantFrom('', '"count":1,', '"count":"a",', '"say":"m",', '"note":{"say":"a","count":2},'),
  after: fc.constantFrom('', ',"note":"a"', ',"say":2', ',"count":12', ', "id": "m"', ',"count":"\\""'),
})

const anyWords = fc.oneof(
  fc.constantFrom('a', 'b', '', ', ', ':1,', '"', '\\', 'm', '\u2028'),
  fc.string({ maxLength: 3 }),
)

const anyStream = fc.array(anyShape, { minLength: 1, maxLength: 3 }).chain((shapes) =>
  fc.array(
    fc.tuple(fc.constantFrom(...shapes), anyWords).map(([{ escaped, space, before, after }, say]) => {
      const text = escaped ? escapedAll(say) : JSON.stringify(say)
      return `{${before}"say":${space}${text}${after}}`
    }),
    { maxLength: 24 },
  ),
)

const escapedAll = (text: string): string =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`

/** Without what was declared to be noise, at the top. */
const withoutNoise = (frame: Frame | undefined): Frame | undefined => frame && { ...frame, count: 0 }

test('gives what the parser gives, whatever the messages are and however they repeat', () => {
  fc.assert(
    fc.property(anyStream, (texts) => {
      const expected = texts.map((text) => withoutNoise(JSON.parse(text) as Frame))
      expect(read(texts).frames.map(withoutNoise)).toStrictEqual(expected)
    }),
    { numRuns: 2000 },
  )
})
