import { expect, test } from 'vitest'
import { lawsTable } from '../laws-table.mjs'

const reportOf = (...tests) => ({
  testResults: [{ assertionResults: tests.map((meta) => ({ status: 'passed', ...meta })) }],
})
const law = (protocol, name, counts, status = 'passed') => ({
  status,
  meta: { law: { protocol, law: name, ...counts } },
})
const fault = (protocol, result, status = 'passed') => ({ status, meta: { fault: { protocol, ...result } } })

test('shows a row for each law and a column for each protocol', () => {
  const table = lawsTable(
    reportOf(
      law('tin', 'total', { runs: 9, held: 9, failed: 0, passedOver: 0 }),
      law('tin', 'truth wins', { runs: 9, held: 6, failed: 2, passedOver: 1 }),
      law('copper', 'total', { runs: 9, held: 9, failed: 0, passedOver: 0 }),
    ),
  )
  expect(table).toEqual([
    '',
    'law: held + failed honestly, of all runs',
    '              copper      tin',
    '  total       9 + 0 of 9  9 + 0 of 9',
    '  truth wins              6 + 2 of 9',
  ])
})

test('tells a broken law apart from one that held', () => {
  const table = lawsTable(reportOf(law('tin', 'total', { runs: 3, held: 2, failed: 0, passedOver: 0 }, 'failed')))
  expect(table.at(-1)).toBe('  total  BROKEN in run 3')
})

test('shows how soon a fault was found, and which were missed', () => {
  const table = lawsTable(
    reportOf(
      fault('tin', { fault: 'no end', law: 'one end', runs: 2, lines: 7 }),
      fault('copper', { fault: 'no end', law: 'total', runs: 1, lines: 4 }),
      fault('tin', { fault: 'lost', law: 'truth wins', runs: 2000 }, 'failed'),
    ),
  )
  expect(table.slice(2)).toEqual([
    '                     copper      tin',
    '  no end (one end)               2, 7 lines',
    '  no end (total)     1, 4 lines',
    '  lost (truth wins)              MISSED in 2000',
  ])
})

test('says why something does not concern a wire, once for each reason', () => {
  const excused = (rest) => ({ status: 'skipped', meta: { excused: { protocol: 'tin', ...rest } } })
  const table = lawsTable(
    reportOf(
      law('tin', 'total', { runs: 1, held: 1, failed: 0, passedOver: 0 }),
      excused({ law: 'join', why: 'it is short' }),
      excused({ fault: 'lost', why: 'it is short' }),
    ),
  )
  expect(table.filter((line) => line.includes('–'))).toEqual(['  join   –', '  lost  –', '– is not for this wire'])
  expect(table.at(-1)).toBe('  tin: it is short: join; lost')
})

test('breaks long names of protocols at their spaces', () => {
  const counts = { runs: 1, held: 1, failed: 0, passedOver: 0 }
  const table = lawsTable(reportOf(law('tin, read by its client', 'total', counts), law('zinc', 'total', counts)))
  expect(table.slice(2)).toEqual([
    '         tin, read by its  zinc',
    '         client',
    '  total  1 + 0 of 1        1 + 0 of 1',
  ])
})

test('says nothing where there are no laws', () => {
  expect(lawsTable(reportOf({}))).toEqual([])
})
