import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasAt } from '../src/index.ts'

const unit = fc.constantFrom('a', 'b', '\u00e9', '\ud83d', '\ude00')
const text = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''))

test('a piece stands where startsWith says so, also at an end, beyond it and for nothing', () => {
  fc.assert(
    fc.property(text, text, fc.nat(14), (whole, piece, at) => {
      // Beyond the end startsWith finds the empty piece, and so does this.
      expect(hasAt(whole, piece, at)).toBe(whole.startsWith(piece, at))
    }),
    { seed: 1, numRuns: 2000 },
  )
})
