import fc from 'fast-check'
import { expect, test } from 'vitest'
import { argumentsTail, tailOf } from '../src/settle.ts'

test('what was shown is completed by its tail', () => {
  expect(tailOf([], 'hello')).toBe('hello')
  expect(tailOf(['hel'], 'hello')).toBe('lo')
  expect(tailOf(['hello'], 'hello')).toBe('')
  expect(tailOf(['h', 'ell'], 'hello')).toBe('o')
})

test('what is no prefix has diverged, also when only its last unit differs or it is longer', () => {
  expect(tailOf(['help'], 'hello')).toBeUndefined()
  expect(tailOf(['hello!'], 'hello')).toBeUndefined()
  expect(tailOf(['x'], '')).toBeUndefined()
  expect(tailOf(['hel', 'p'], 'hello')).toBeUndefined()
  expect(tailOf(['lo', 'hel'], 'hello')).toBeUndefined()
})

test('white space outside strings does not make arguments diverge', () => {
  expect(argumentsTail(['{"a": 1,'], '{"a":1,"b":2}')).toBe('"b":2}')
  expect(argumentsTail(['{"a":1,'], '{\n "a": 1, "b": 2}')).toBe(' "b": 2}')
  expect(argumentsTail(['{ "a" : 1 }'], '{"a":1}')).toBe('')
})

test('white space inside strings does', () => {
  expect(argumentsTail(['{"a": "x y"'], '{"a":"xy"}')).toBeUndefined()
  expect(argumentsTail(['{"a": "x'], '{"a":"x y"}')).toBe(' y"}')
})

test('an escaped quote does not end a string', () => {
  expect(argumentsTail(['{"a": "\\" '], '{"a":"\\" b"}')).toBe('b"}')
  expect(argumentsTail(['{"a": "\\"b'], '{"a":"\\" b"}')).toBeUndefined()
  expect(argumentsTail(['{"a": "\\'], '{"a":"\\n"}')).toBe('n"}')
})

test('any beginning of the spaced text is completed to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), fc.integer({ min: 0, max: 4 }), (value, cut, indent) => {
      const spaced = JSON.stringify(value, undefined, indent)
      const plain = JSON.stringify(value)
      const shown = spaced.slice(0, cut % (spaced.length + 1))
      const tail = argumentsTail([shown], plain)
      expect(JSON.parse(shown + tail)).toEqual(JSON.parse(plain))
    }),
    { seed: 1, numRuns: 500 },
  )
})
