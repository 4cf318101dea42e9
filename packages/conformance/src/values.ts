/** Texts and JSON values as agents and their tools may give them, the awkward ones among them. */
import type { Json } from '@factwire/core'
import fc from 'fast-check'

const NASTY = ['\ud800', '\udc00x', '\u2028', '\u0000', '\ufeff', '🤖', '\r\n', '  ', '"\\', '\u0085', 'é日', '']

export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...NASTY), { maxLength: 4 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
)

/** Values that careless code loses: keys that name something of every object, numbers at the edges of what a double holds. */
const AWKWARD: readonly string[] = [
  '{"__proto__":{"a":1},"constructor":2}',
  '{"toJSON":"x","hasOwnProperty":null,"then":1}',
  '{"2":"b","1":"a","":{"":[]}}',
  '[1e21,9007199254740991,5e-324,-1.5e-7]',
  '[[],{},[null],"",false]',
]

export const anyJson: fc.Arbitrary<Json> = fc
  .oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.record({ q: anyText }),
    fc.constant({}),
    fc.constantFrom(...AWKWARD).map((text): unknown => JSON.parse(text)),
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as Json)

/** Arguments as a model may write them, and as `JSON.stringify` would not. */
export const anyRawInput: fc.Arbitrary<string> = fc.constantFrom(
  '{"n":1.0}',
  '{"n":1E21}',
  '{"n":-0}',
  '{"n":9007199254740993}',
  '{"n":5e-324,"m":1e-7}',
  '{"a":1,"a":2}',
  '{"text":"\\u0041\\/"}',
  ' [1, 2 ]\n',
)

/** Arguments that nobody can parse. */
export const anyBrokenInput: fc.Arbitrary<string> = fc.constantFrom(
  '{"q": "unfin',
  'nope',
  '{"a":1}}',
  '{a:1}',
  '\u0000',
)

/** True in one case of `many`, and first false. */
export const rarely = (many: number): fc.Arbitrary<boolean> =>
  fc.integer({ min: 1, max: many }).map((dice) => dice === many)
