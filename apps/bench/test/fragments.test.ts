import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { argumentFragments, prose, textFragments } from '../src/fragments.ts'

const hash = (pieces: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(pieces)).digest('hex').slice(0, 12)

// Numbers of different runs can be compared only as long as these stay.
test('text is the same everywhere', () => {
  expect(hash(textFragments(20_000, 1))).toBe('87379a6d69f0')
})

test('arguments are the same everywhere', () => {
  expect(hash(argumentFragments(5000, 2))).toBe('8c92d9623636')
})

test('text has the mix that models have', () => {
  const pieces = textFragments(20_000, 1)
  const share = (pattern: RegExp): number => pieces.filter((piece) => pattern.test(piece)).length / pieces.length
  expect(share(/["\\\n\t]/)).toBeCloseTo(0.08, 2)
  expect(share(/[\u0080-\u00ff]/)).toBeCloseTo(0.02, 2)
  expect(share(/[\u0100-\uffff]/)).toBeCloseTo(0.04, 2)
  expect(Math.min(...pieces.map((piece) => Array.from(piece).length))).toBe(1)
  expect(Math.max(...pieces.map((piece) => Array.from(piece).length))).toBe(8)
})

test('no piece of text cuts a character in two', () => {
  const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
  expect(textFragments(20_000, 1).filter((piece) => halves.test(piece))).toEqual([])
})

test('arguments join to one JSON document, in as many pieces as asked for', () => {
  const pieces = argumentFragments(5000, 2)
  expect(pieces).toHaveLength(5000)
  expect(pieces.every((piece) => piece.length >= 1 && piece.length <= 8)).toBe(true)
  const text = pieces.join('')
  expect(JSON.stringify(JSON.parse(text))).toBe(text)
})

test('arguments too short for a document are refused', () => {
  expect(() => argumentFragments(2, 2)).toThrow(TypeError)
})

test.for([1, 1000, 20_480])('prose of %d units has that length', (length) => {
  expect(prose(length, 4)).toHaveLength(length)
})
