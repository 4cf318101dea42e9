import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LiveRun, anyRun, context, joinAt, joinedFrames } from '@factwire/conformance'
import { createReducer, reduce } from '../src/reduce.ts'
import { transcoder } from '../src/transcoder.ts'
import type { Turn, View } from '../src/view.ts'
import type { FlatEvent } from '../src/wire.ts'

const seed = 7
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 300)
const timeout = 600_000

/** What a person sees, whether it came as a snapshot or event by event. */
function seen(view: View): unknown {
  const turns = [...view.before.filter((entry): entry is Turn => entry.role === 'assistant'), ...view.turns]
  return {
    status: view.status,
    termination: view.termination,
    error: view.error,
    state: view.state,
    turns: turns
      .filter((turn) => turn.text !== '' || turn.calls.length > 0)
      .map(({ id, text, calls }) => ({
        id,
        text,
        calls: calls.map((call) => ({
          id: call.id,
          name: call.name,
          arguments: call.arguments,
          status: call.status,
          result: call.result,
        })),
      })),
  }
}

const joined = (run: LiveRun, position: number): FlatEvent[] =>
  joinedFrames(run, position, transcoder(context, undefined, joinAt(run, position)))

/** A position after the start, the end included. */
const inside = (run: LiveRun, at: number): number => 1 + Math.floor((at * (run.script.length - 1)) / 1000)

test(
  'joining again changes nothing for a client that has the beginning',
  () => {
    fc.assert(
      fc.property(
        anyRun(),
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 0, max: 1000 }),
        (run, first, second) => {
          fc.pre(run.marked)
          const [early, late] = [inside(run, Math.min(first, second)), inside(run, Math.max(first, second))]
          const opening = joined(run, early)
          const fresh = joined(run, late)
          const client = createReducer()
          for (const frame of [...opening.slice(0, 2), ...fresh]) client.push(frame)
          expect(seen(client.view())).toEqual(seen(reduce(fresh)))
        },
      ),
      { seed, numRuns },
    )
  },
  timeout,
)

test('the opening is the start, the thread, and the open step', () => {
  const target = transcoder(context, undefined, {
    committed: {
      messages: [
        { id: 'u1', role: 'user', content: [{ type: 'text', text: 'hi' }] },
        { id: 'a1', role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'sum', input: { a: 1 } }] },
      ],
      standing: {
        state: { type: 'running' },
        openCalls: [{ id: 'c1', name: 'sum', message_id: 'a1' }],
      },
      snapshot: { n: 1 },
    },
    open: [{ type: 'tool_output_delta', id: 'c1', name: 'sum', delta: 'working' }],
  })
  expect(target.settled()).toEqual([
    { event_type: 'run_start', thread_id: 'thread-1', run_id: 'run-1' },
    {
      event_type: 'messages_snapshot',
      messages: [
        { id: 'u1', role: 'user', content: [{ type: 'text', text: 'hi' }] },
        { id: 'a1', role: 'assistant', content: [], tool_calls: [{ id: 'c1', name: 'sum', arguments: { a: 1 } }] },
      ],
    },
    { event_type: 'state_snapshot', snapshot: { n: 1 } },
    { event_type: 'tool_call_stream_delta', id: 'c1', name: 'sum', delta: 'working' },
  ])
  expect(target.settled()).toEqual([])
  expect(target.fact({ type: 'tool_result', id: 'c1', content: [], is_error: false })[0]?.event_type).toBe(
    'tool_call_done',
  )
})

test('a joined stream whose first event is a delta or a fact still begins with the opening', () => {
  const join = { committed: { messages: [], standing: { openCalls: [] } }, open: [] }
  const types = (frames: readonly FlatEvent[]): string[] => frames.map((frame) => frame.event_type)
  expect(types(transcoder(context, undefined, join).delta({ type: 'text_delta', delta: 'x' }))).toEqual([
    'run_start',
    'messages_snapshot',
    'step_start',
    'text_delta',
  ])
  expect(types(transcoder(context, undefined, join).fact({ type: 'run_finished', exhausted: false }))).toEqual([
    'run_start',
    'messages_snapshot',
    'run_finish',
  ])
  expect(types(transcoder(context, undefined, join).close())).toEqual(['run_start', 'messages_snapshot', 'run_finish'])
})
