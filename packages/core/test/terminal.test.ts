import { decideEnd, type End, type EndDecision } from '@factwire/core'
import { expect, test } from 'vitest'

const requests: readonly End[] = ['awaiting', 'finished', 'failed']

test('emits nothing after an end, whatever else holds', () => {
  for (const requested of requests) {
    for (const started of [true, false]) {
      for (const exact of [true, false]) {
        expect(decideEnd({ started, ended: true, exact, requested })).toBe('already_emitted')
      }
    }
  }
})

test('emits nothing before a start', () => {
  for (const requested of requests) {
    for (const exact of [true, false]) {
      expect(decideEnd({ started: false, ended: false, exact, requested })).toBe('reject_unstarted')
    }
  }
})

test.each<[exact: boolean, requested: End, decision: EndDecision]>([
  [true, 'awaiting', 'awaiting'],
  [true, 'finished', 'finished'],
  [true, 'failed', 'failed'],
  [false, 'awaiting', 'failed'],
  [false, 'finished', 'failed'],
  [false, 'failed', 'failed'],
])('decides for exact %s and requested %s: %s', (exact, requested, decision) => {
  expect(decideEnd({ started: true, ended: false, exact, requested })).toBe(decision)
})
