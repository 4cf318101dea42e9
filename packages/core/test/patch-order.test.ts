import { expect, test } from 'vitest'
import type { ActivityDelta, StateDelta } from '../src/event.ts'
import { createPatchOrder } from '../src/patch-order.ts'
import type { Committed } from '../src/protocol.ts'

const state = (revision?: number): StateDelta => ({
  type: 'state_delta',
  delta: [],
  ...(revision === undefined ? {} : { revision }),
})
const activity = (message_id: string, revision: number): ActivityDelta => ({
  type: 'activity_delta',
  message_id,
  activity_type: 'plan',
  patch: [],
  revision,
})
const committed: Committed = { messages: [], standing: { openCalls: [] } }

test('patches are shown in sequence only, each document by itself', () => {
  const { inSequence } = createPatchOrder()
  expect([0, 0, 2, 1].map((revision) => inSequence(state(revision)))).toEqual([true, false, false, true])
  expect(inSequence(activity('a', 1))).toBe(false)
  expect(inSequence(activity('a', 0))).toBe(true)
  expect(inSequence(activity('b', 0))).toBe(true)
})

test('a patch without a number is always shown', () => {
  const { inSequence, told } = createPatchOrder()
  told({ type: 'state_snapshot', snapshot: {} })
  expect(inSequence(state())).toBe(true)
})

test('a patch that a snapshot holds is not shown after it, and the next one is, whatever was missed', () => {
  const { inSequence, told } = createPatchOrder()
  inSequence(state(0))
  told({ type: 'state_snapshot', snapshot: {}, revision: 3 })
  expect([1, 2, 3, 4].map((revision) => inSequence(state(revision)))).toEqual([false, false, true, true])
})

test('after a snapshot that does not say what it holds, no numbered patch of that document is shown', () => {
  const { inSequence, told } = createPatchOrder()
  told({ type: 'activity_snapshot', message_id: 'a', activity_type: 'plan', content: {} })
  expect([0, 1].map((revision) => inSequence(activity('a', revision)))).toEqual([false, false])
  expect(inSequence(activity('b', 0))).toBe(true)
  expect(inSequence(state(0))).toBe(true)
})

test('who joins goes on from what the committed documents hold, or where they do not say, from the first patch it sees', () => {
  const told = createPatchOrder({
    ...committed,
    snapshot: {},
    revision: 2,
    activities: [{ message_id: 'a', activity_type: 'plan', content: {}, revision: 1 }],
  })
  expect([1, 2].map((revision) => told.inSequence(state(revision)))).toEqual([false, true])
  expect([0, 1].map((revision) => told.inSequence(activity('a', revision)))).toEqual([false, true])
  const untold = createPatchOrder(committed)
  expect([5, 7, 6].map((revision) => untold.inSequence(state(revision)))).toEqual([true, false, true])
})
