import { FactwireError, isObject, parseJson, parseUnread, quote, stringify } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { json, text } from './arbitraries.ts'

const LINE_BREAKS = /[\n\r\u0085\u2028\u2029]/

function codeOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof FactwireError) return error.code
    throw error
  }
  return 'accepted'
}

test('refuses text that is longer than the limit before it looks at it', () => {
  expect(codeOf(() => parseJson('[1]', { size: 3 }))).toBe('accepted')
  expect(codeOf(() => parseJson('[1] ', { size: 3 }))).toBe('too_large')
  expect(codeOf(() => parseJson('not', { size: 2 }))).toBe('too_large')
})

test('accepts nesting up to the limit, of arrays and objects', () => {
  const arrays = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
  const objects = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
  for (const nested of [arrays, objects]) {
    expect(codeOf(() => parseJson(nested(5), { depth: 5 }))).toBe('accepted')
    expect(codeOf(() => parseJson(nested(6), { depth: 5 }))).toBe('too_deep')
    expect(codeOf(() => parseJson(nested(128)))).toBe('accepted')
    expect(codeOf(() => parseJson(nested(129)))).toBe('too_deep')
  }
})

test('counts depth, not brackets', () => {
  expect(codeOf(() => parseJson(`[${'[],'.repeat(500)}{}]`, { depth: 2 }))).toBe('accepted')
})

test('does not count brackets inside strings, escaped quotes or not', () => {
  const brackets = '[{'.repeat(500)
  for (const value of [brackets, `"${brackets}`, `\\"${brackets}\\`, `\\\\${brackets}`]) {
    expect(parseJson(JSON.stringify([value]), { depth: 1 })).toStrictEqual([value])
  }
})

test('refuses a hundred thousand open brackets without running out of stack', () => {
  expect(codeOf(() => parseJson('['.repeat(100_000)))).toBe('too_deep')
  expect(codeOf(() => parseJson('{"a":'.repeat(100_000)))).toBe('too_deep')
})

test('says that text is not JSON, and keeps the cause', () => {
  for (const wrong of ['', ' ', '{', '{"a":1,}', "{'a':1}", '1 2', 'undefined', '\ufeff1', ']]]][[[[']) {
    expect([wrong, codeOf(() => parseJson(wrong))]).toStrictEqual([wrong, 'malformed_json'])
  }
  expect(() => parseJson('{')).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }))
})

test('reads whatever JSON.stringify writes', () => {
  fc.assert(
    fc.property(json, (value) => {
      const written = JSON.stringify(value)
      expect(JSON.stringify(parseJson(written))).toBe(written)
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('keeps __proto__ an own key', () => {
  const parsed = parseJson('{"__proto__":{"polluted":1}}')
  expect(Object.keys(parsed as object)).toStrictEqual(['__proto__'])
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
})

test('quotes any string so that it reads back and stays on one line', () => {
  fc.assert(
    fc.property(text, (value) => {
      const quoted = quote(value)
      expect(JSON.parse(quoted)).toBe(value)
      expect(quoted).not.toMatch(LINE_BREAKS)
    }),
    { seed: 1, numRuns: 1000 },
  )
})

test('quotes every single UTF-16 unit', () => {
  const units = Array.from({ length: 0x10000 }, (_, unit) => `a${String.fromCharCode(unit)}b`)
  expect(units.filter((value) => JSON.parse(quote(value)) !== value)).toStrictEqual([])
  expect(units.filter((value) => LINE_BREAKS.test(quote(value)))).toStrictEqual([])
  expect(quote('a"b')).toBe('"a\\"b"')
  expect(quote('a\u2028b\u0085')).toBe('"a\\u2028b\\u0085"')
})

test('writes lone surrogates as escapes, because UTF-8 cannot hold them', () => {
  expect(quote('\ud83d')).toBe('"\\ud83d"')
  expect(quote('😀')).toBe('"😀"')
})

test('writes any JSON on one line, keys too', () => {
  fc.assert(
    fc.property(json, (value) => {
      const written = stringify(value)
      expect(written).not.toMatch(LINE_BREAKS)
      expect(JSON.stringify(JSON.parse(written))).toBe(JSON.stringify(value))
    }),
    { seed: 1, numRuns: 500 },
  )
  expect(stringify({ '\u2028': '\u2029' })).toBe('{"\\u2028":"\\u2029"}')
})

test('tells objects from arrays and null', () => {
  expect([{}, Object.create(null)].every(isObject)).toBe(true)
  expect([null, undefined, [], '', 0, () => 0].some(isObject)).toBe(false)
})

test('refuses a number that is too large to be held, wherever it stands, and nothing that only looks like one', () => {
  for (const wrong of ['1e999', '-1e999', '[1,{"a":[2e400]}]', `1${'0'.repeat(400)}`]) {
    expect([wrong, codeOf(() => parseJson(wrong))]).toStrictEqual([wrong, 'malformed_json'])
  }
  for (const right of ['1e308', '1e-999', '"1e999"', '{"1e999":[]}']) {
    expect([right, codeOf(() => parseJson(right))]).toStrictEqual([right, 'accepted'])
  }
})

test('leaves the look at numbers to whoever says so, and keeps the other limits', () => {
  expect(parseUnread('[1e999]')).toStrictEqual([Infinity])
  expect(codeOf(() => parseUnread('[[1]]', { depth: 1 }))).toBe('too_deep')
})
