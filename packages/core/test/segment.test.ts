import { expect, test } from 'vitest'
import { type SegmentState, endOf, segment } from '../src/segment.ts'
import { createPreview } from '../src/preview.ts'
import type { Transcoder } from '../src/protocol.ts'

/** Frames are the names of what was asked for. */
function named(opening?: readonly string[]): Transcoder<string> {
  const state: SegmentState = { started: opening !== undefined, ended: false }
  return segment(state, {
    preview: createPreview(),
    opening,
    start: () => ['start'],
    fact({ type }) {
      if (type === 'run_finished') state.ended = true
      return [type]
    },
    settled: () => ['settled'],
    delta: ({ type }) => [type],
    breakOff() {
      state.ended = true
      return ['broken off']
    },
  })
}

const DONE = { type: 'run_finished', exhausted: false } as const
const TEXT = { type: 'text_delta', delta: 'a' } as const

test('nothing is told before the start, and an end before it is none', () => {
  const target = named()
  expect(target.delta(TEXT)).toEqual([])
  expect(target.fact({ type: 'continuation', steered: false, detail: null })).toEqual([])
  expect(target.fact(DONE)).toEqual([])
  expect(target.close()).toEqual([])
  expect(target.fact({ type: 'run_started' })).toEqual(['start'])
  expect(target.fact(DONE)).toEqual(['run_finished'])
})

test('nothing is told after the end', () => {
  const target = named()
  target.fact({ type: 'run_started' })
  target.fact(DONE)
  expect(target.delta(TEXT)).toEqual([])
  expect(target.fact(DONE)).toEqual([])
  expect(target.settled()).toEqual([])
  expect(target.close()).toEqual([])
})

test('a producer that is gone breaks the segment off, once', () => {
  const target = named()
  target.fact({ type: 'run_started' })
  expect(target.close()).toEqual(['broken off'])
  expect(target.close()).toEqual([])
})

test('a joined stream begins with its opening, whatever comes first', () => {
  expect(named(['opening']).delta(TEXT)).toEqual(['opening', 'text_delta'])
  expect(named(['opening']).fact(DONE)).toEqual(['opening', 'run_finished'])
  expect(named(['opening']).close()).toEqual(['opening', 'broken off'])
  const target = named(['opening'])
  target.settled()
  expect(target.delta(TEXT)).toEqual(['text_delta'])
})

test('whoever joins after the end hears of it: why, whom it waits for, what it gave', () => {
  const committed = { messages: [], standing: { openCalls: [] } }
  expect(endOf(committed)).toBeUndefined()
  expect(endOf({ ...committed, standing: { state: { type: 'running' }, openCalls: [] } })).toBeUndefined()
  const pending = [{ tool_use_id: 'c1', kind: 'client' }] as const
  expect(endOf({ ...committed, standing: { state: { type: 'awaiting' }, openCalls: [] }, pending })).toEqual({
    type: 'awaiting',
    pending_tool_use_id: 'c1',
    pending,
  })
  const cause = { type: 'natural_end' } as const
  expect(endOf({ ...committed, standing: { state: { type: 'ended', cause }, openCalls: [] }, result: 3 })).toEqual({
    type: 'run_finished',
    exhausted: false,
    cause,
    result: 3,
  })
})
