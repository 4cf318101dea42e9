import type { Delta } from '@factwire/core'
import { expect, test } from 'vitest'
import { earlyDeltas } from '../src/early.ts'

const delta = (seq: number, text: string): { readonly seq: number; readonly delta: Delta } => ({
  seq,
  delta: { type: 'text_delta', delta: text, message_id: 'm', offset: 0 },
})
const held = (): Parameters<typeof earlyDeltas>[1] => ({
  windowBytes: 0,
  openUnits: 0,
  pastUnits: 0,
  queueUnits: 0,
  threadUnits: 0,
  readers: 0,
  behind: 0,
})

test('what came early is due with the fact that it belongs after', () => {
  const early = earlyDeltas(10_000, held())
  early.add(4, [delta(5, 'a')])
  early.add(8, [delta(9, 'b'), delta(10, 'c')])
  expect(early.due(3)).toEqual([])
  expect(early.due(4).map(({ seq }) => seq)).toEqual([5])
  expect(early.due(20).map(({ seq }) => seq)).toEqual([9, 10])
  expect(early.due(20)).toEqual([])
})

test('it is counted by its text while it waits, and too much of it is none', () => {
  const now = held()
  const early = earlyDeltas(10_000, now)
  early.add(4, [delta(5, 'x'.repeat(4000)), delta(6, 'y'.repeat(4000))])
  expect(now.queueUnits).toBe(8128)
  // One piece alone may be too long.
  early.add(9, [delta(10, 'z'.repeat(4000))])
  expect([now.queueUnits, early.due(100)]).toEqual([0, []])
  early.add(9, [delta(11, 'x'.repeat(4000))])
  expect(early.due(9)).toHaveLength(1)
  expect(now.queueUnits).toBe(0)
  early.add(12, [delta(13, 'x')])
  early.drop()
  expect([now.queueUnits, early.due(100)]).toEqual([0, []])
})
