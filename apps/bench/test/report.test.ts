import { expect, test } from 'vitest'
import { atLeast, atMost, isMet, type Row, single } from '../src/report.ts'
import { markdown } from '../src/markdown.ts'
import { lines } from '../src/table.ts'

const row: Row = { what: 'text: a', against: 'limit', value: { median: 1.4, low: 1, high: 2 }, unit: 'x' }

test('a bar is met at its value', () => {
  expect(isMet({ ...row, bar: atMost(1.4) })).toBe(true)
  expect(isMet({ ...row, bar: atMost(1.39) })).toBe(false)
  expect(isMet({ ...row, bar: atLeast(1.4) })).toBe(true)
  expect(isMet({ ...row, bar: atLeast(1.41) })).toBe(false)
  expect(isMet(row)).toBeUndefined()
})

test('a row is printed with its spread, its bar and the verdict', () => {
  const rows = [{ ...row, bar: atMost(1.3, 1.1) }, { ...row, value: single(250), bar: atLeast(9) }, row]
  expect(lines({ tables: [], rows })).toEqual([
    '',
    'MISS  text: a  limit  1.40 (1.00 to 2.00) x  <= 1.3 (1.1)',
    'met   text: a  limit  250 x                  >= 9',
    '      text: a  limit  1.40 (1.00 to 2.00) x',
  ])
})

test('a table divides times by events and compares with its first line', () => {
  const timings = [
    { name: 'a', samples: [1000, 2000, 3000] },
    { name: 'b', samples: [2000, 4000, 12_000] },
  ]
  expect(lines({ tables: [{ title: 'text', events: 10, timings }], rows: [] })).toEqual([
    '',
    'text',
    '  a  200 ns  100 to 300   1.00 x',
    '  b  400 ns  200 to 1200  2.00 (2.00 to 4.00) x',
  ])
})

test('bars become a table of markdown', () => {
  const rows = [{ ...row, bar: atMost(1.3, 1.1) }, row]
  expect(markdown(new Map([['encode', { tables: [], rows }]]))).toBe(
    [
      '| group | what | against | measured | bar |  |',
      '| --- | --- | --- | --- | --- | --- |',
      '| `encode` | text: a | limit | 1.40 (1.00 to 2.00) x | <= 1.3 (1.1) | **missed** |',
      '| `encode` | text: a | limit | 1.40 (1.00 to 2.00) x |  |  |',
      '',
    ].join('\n'),
  )
})
