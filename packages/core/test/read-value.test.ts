import {
  anyJson,
  arrayOf,
  FactwireError,
  field,
  json,
  jsonObject,
  known,
  knownOf,
  lenient,
  nonEmptyString,
  number,
  object,
  ofProtocol,
  optional,
  optionalJson,
  type Read,
  record,
  string,
  variants,
} from '@factwire/core'
import { expect, test } from 'vitest'

type Shape = { readonly kind: 'dot' } | { readonly kind: 'line'; readonly to: string; readonly width?: number }

const members = { dot: {}, line: { to: string, width: lenient(number) } }
const shape = known<Shape, 'kind'>('kind', members)

/** What a reader gives, and what it told of: or its refusal. */
function outcome<Value>(read: Read<Value>, value: unknown): unknown {
  const dropped: string[] = []
  try {
    return { value: read(value, 'at', (path) => dropped.push(path)), dropped }
  } catch (error) {
    if (error instanceof FactwireError) return error.message
    throw error
  }
}

test.each<[unknown, unknown]>([
  [{ kind: 'dot' }, { value: { kind: 'dot' }, dropped: [] }],
  [
    { to: 'x', width: 2, kind: 'line' },
    { value: { kind: 'line', to: 'x', width: 2 }, dropped: [] },
  ],
  [
    { kind: 'line', to: 'x', width: 'wide', hue: 1 },
    { value: { kind: 'line', to: 'x' }, dropped: ['at.hue', 'at.width'] },
  ],
  [{ kind: 'arc' }, { value: undefined, dropped: ['at.kind'] }],
  [{ kind: 7 }, 'at.kind: expected a string, got number'],
  [{}, 'at.kind: expected a string, got nothing'],
  [{ kind: 'line' }, 'at.to: expected a string, got nothing'],
  [[], 'at: expected an object, got array'],
])('of a union that may grow, %j gives %j', (value, expected) => {
  expect(outcome(shape, value)).toEqual(expected)
})

test('a refusal is the same whether or not somebody wants to know of what is dropped', () => {
  expect(() => shape({ kind: 7 }, 'at')).toThrow('at.kind: expected a string, got number')
  expect(shape({ kind: 'arc' }, 'at')).toBeUndefined()
})

test('a closed union says which members it has', () => {
  expect(outcome(variants<Shape, 'kind'>('kind', members), { kind: 'arc' })).toBe(
    'at.kind: expected one of dot, line, got "arc"',
  )
})

test('what an object inherits is not there', () => {
  const inherited = Object.create({ kind: 'line', to: 'x' })
  expect(outcome(shape, inherited)).toBe('at.kind: expected a string, got nothing')
  expect(outcome(record({ valueOf: optional(string) }), {})).toEqual({ value: {}, dropped: [] })
})

test('elements of a kind that is not known are dropped, others read in order', () => {
  expect(outcome(knownOf(shape), [{ kind: 'arc' }, { kind: 'dot' }])).toEqual({
    value: [{ kind: 'dot' }],
    dropped: ['at[0].kind'],
  })
})

test('an array longer than allowed is refused before its elements are read', () => {
  const read = arrayOf(string, 2)
  expect(outcome(read, ['a', 'b'])).toEqual({ value: ['a', 'b'], dropped: [] })
  expect(() => read([1, 2, 3], 'list')).toThrow(
    expect.objectContaining({ code: 'too_large', path: 'list', message: 'list: 3 elements, at most 2 allowed' }),
  )
})

test('a name is not empty', () => {
  expect(outcome(nonEmptyString, '')).toBe('at: expected a string that is not empty, got ""')
  expect(outcome(nonEmptyString, null)).toBe('at: expected a string, got null')
})

test('a refusal inside a protocol names it, and keeps place and words', () => {
  const read = ofProtocol('toy', (value, path) => field(object(value, path), 'to', string, path))
  expect(() => read({ to: 1 }, '')).toThrow(
    expect.objectContaining({
      code: 'invalid_value',
      protocol: 'toy',
      path: 'to',
      reason: 'expected a string, got number',
      message: 'to: expected a string, got number',
    }),
  )
})

test.each([
  ['json', json],
  ['anyJson', anyJson],
  ['optionalJson', optionalJson],
  ['number', number],
  ['jsonObject', jsonObject],
])('%s refuses a number that is too large to be held, and says where', (name, read) => {
  const value = name === 'number' ? Infinity : { deep: [-Infinity] }
  expect(() => read(value, 'here')).toThrow(expect.objectContaining({ code: 'invalid_value', path: 'here' }))
})
