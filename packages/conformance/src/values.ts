/** Texts and JSON values as agents and their tools may give them, the awkward ones among them. */
import type { Json } from '@factwire/core'
import fc from 'fast-check'

const NASTY = ['\ud800', '\udc00x', '\u2028', '\u0000', '\ufeff', '🤖', '\r\n', '  ', '"\\', '\u0085', 'é日', '']

export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...NASTY), { maxLength: 4 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
)

export const anyJson: fc.Arbitrary<Json> = fc
  .oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.record({ q: anyText }),
    fc.constant({}),
    fc.constant(JSON.parse('{"__proto__":{"a":1},"constructor":2}')),
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as Json)
