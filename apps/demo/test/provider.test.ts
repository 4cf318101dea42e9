import { expect, test } from 'vitest'
import { awkwardPieces, beginning } from '../src/provider.ts'
import { answerBytes } from '../src/script.ts'

const bytes = answerBytes()
const pieces = awkwardPieces(bytes)
const ends = pieces.map((piece) => Buffer.from(piece).toString('latin1'))

test('the pieces together are the whole', () => {
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
})

test('cuts inside characters, inside JSON and between CR and LF', () => {
  expect(ends.some((piece) => /[\u00c2-\u00ef]$/.test(piece))).toBe(true)
  expect(ends.some((piece) => /[a-z]$/.test(piece))).toBe(true)
  expect(ends.some((piece) => piece.endsWith('\r'))).toBe(true)
})

test('breaks in the arguments of the first call', () => {
  expect(Buffer.from(beginning(bytes)).toString()).toMatch(/"arguments":":\\"S$/)
})
