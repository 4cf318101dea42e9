import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shorten, visible } from '../src/visible.ts'

test('leaves plain text as it is and shows everything else by its number', () => {
  expect(visible('Zürich — 22 °C 🌤')).toBe('Zürich — 22 °C 🌤')
  expect(visible('a\nb\tc\r')).toBe('a\\nb\\tc\\r')
  expect(visible('\u001b[2J\u009b1m\u202e\ud800')).toBe('\\u001b[2J\\u009b1m\\u202e\\ud800')
})

test('gives text that has no control in it, whatever comes in', () => {
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(text, (given) => {
      expect(visible(given)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u)
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('shortens to the width that it is given, and never inside a pair', () => {
  expect(shorten('abcdef', 6)).toBe('abcdef')
  expect(shorten('abcdef', 4)).toBe('abc…')
  expect(shorten('ab🌤def', 4)).toBe('ab…')
})
