import { expect, test } from 'vitest'
import { callText, compare, faults, type Outcome, type Reading } from '../src/outcome.ts'

const committed: Outcome = {
  reasoning: 'Hm.',
  text: 'Yes.',
  calls: new Map([['call_1', 'look {} → seen']]),
  ending: 'finished',
}
const exact: Reading = { ...committed, told: 'end', warnings: [] }

function found(...readings: readonly Reading[]): readonly string[] {
  return faults(['A', 'B'], compare(committed, readings))
}

test('clients that have what was committed are not at fault', () => {
  expect(found(exact, exact)).toEqual([])
})

test('what a client cannot show is no fault', () => {
  const { reasoning: _, calls: __, ...rest } = exact
  expect(found(rest)).toEqual([])
})

test.each<[keyof Reading, Partial<Reading>, string]>([
  ['reasoning', { reasoning: '' }, 'B: thought is "", not "Hm.".'],
  ['text', { text: 'Yes.Yes.' }, 'B: text is "Yes.Yes.", not "Yes.".'],
  ['calls', { calls: new Map() }, 'B: call_1 is "missing", not "look {} → seen".'],
  ['ending', { ending: 'running' }, 'B: ending is "running", not "finished".'],
  ['warnings', { warnings: ['lost an event'] }, 'B: warnings is "1 lost an event", not "0".'],
])('a difference in %s is said in full', (_, difference, sentence) => {
  expect(found(exact, { ...exact, ...difference })).toEqual([sentence])
})

test('a call that was never committed is a fault', () => {
  const calls = new Map([...(committed.calls ?? []), ['call_2', 'look {}']])
  expect(found({ ...exact, calls })).toEqual(['A: call_2 is "look {}", not "missing".'])
})

test('arguments are compared by value, and those that were cut have none', () => {
  expect(callText('look', '{ "at": "it" }')).toBe(callText('look', '{"at":"it"}'))
  expect(callText('look', '{"at')).toBe('look null')
})
