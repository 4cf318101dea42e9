import { expect, test } from 'vitest'
import { sameOptions } from '../src/same-options.ts'

test.each([
  [
    'nested functions',
    () => ({ a: { name: (id: string) => `a-${id}` } }),
    () => ({ a: { name: (id: string) => `b-${id}` } }),
  ],
  ['maps', () => ({ a: new Map([['x', 1]]) }), () => ({ a: new Map([['x', 2]]) })],
  ['sets in lists', () => ({ a: [new Set(['x'])] }), () => ({ a: [new Set(['y'])] })],
  ['dates and their text', () => ({ a: new Date(0) }), () => ({ a: new Date(0).toJSON() })],
  ['undefined and null in lists', () => ({ a: [undefined] }), () => ({ a: [null] })],
  ['numbers that JSON does not tell apart', () => ({ a: [Number.NaN] }), () => ({ a: [Infinity] })],
  ['a list and an object', () => ({ a: ['x'] }), () => ({ a: { 0: 'x' } })],
])('two options are others where they differ in %s', (_what, one, other) => {
  const given = one()
  expect([sameOptions(given, given), sameOptions(given, other()), sameOptions(other(), given)]).toEqual([
    true,
    false,
    false,
  ])
})

test('two options are the same where all that is in them is', () => {
  const options = () => ({ a: { b: ['x', { c: 1 }] }, d: null, e: undefined })
  expect(sameOptions(options(), { e: undefined, d: null, a: { b: ['x', { c: 1 }] } })).toBe(true)
  expect(sameOptions(options(), { ...options(), d: undefined })).toBe(false)
})
