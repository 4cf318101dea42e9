import {
  type Disturbance,
  type LiveRun,
  anyDisturbance,
  anyResumedRun,
  anyRun,
  disturb,
  groupsOf,
  joinAt,
  joinedFrames,
} from '@factwire/conformance'
import {
  type AgentEvent,
  type FoldOptions,
  type Json,
  type Message,
  type RunContext,
  deltaEvent,
  factEvent,
} from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reduce } from '../src/reduce.ts'
import { transcoder } from '../src/transcoder.ts'
import type { Turn, View } from '../src/view.ts'
import type { FlatEvent } from '../src/wire.ts'
import { truth } from './truth.ts'

const seed = 20_261_130
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 1000)
const timeout = 600_000

const framesOf = (run: LiveRun, disturbance: Disturbance, options: FoldOptions, context: RunContext): FlatEvent[] =>
  groupsOf(disturb(run, disturbance, options), transcoder(context)).flat()

interface Counting {
  /** Ids of messages, where the live stream knew them. */
  readonly ids: boolean
  /** Thoughts, where there is a fact that could take them back. */
  readonly reasoning: boolean
}

/** The whole view, as JSON says it. */
function counted({ turns, ...view }: View, { ids, reasoning }: Counting): Json {
  const shown = turns.map(({ id, reasoning: thought, encryptedReasoning, ...turn }: Turn) => ({
    ...turn,
    ...(ids ? { id } : {}),
    ...(reasoning ? { thought, encryptedReasoning } : {}),
  }))
  const seen = shown.filter(({ text, calls, thought }) => text !== '' || calls.length > 0 || (thought ?? '') !== '')
  return JSON.parse(JSON.stringify({ ...view, turns: seen })) as Json
}

const allThink = ({ script }: LiveRun): boolean =>
  script.every(
    (item) =>
      'delta' in item ||
      item.commit.messages.every(
        ({ role, content }) => role !== 'assistant' || content.some(({ type }) => type === 'thinking'),
      ),
  )

test(
  'whatever became of the deltas, the fold of the wire shows what the commits hold, and nothing else',
  () => {
    const tally = new Map<string, number>()
    fc.assert(
      fc.property(anyRun(), anyDisturbance, fc.boolean(), (run, disturbance, thinks) => {
        const options: FoldOptions = thinks ? { reasoning: 'text' } : {}
        const reasoning = thinks && (allThink(run) || disturbance.kind === 'none')
        const counting = {
          ids: (run.marked && disturbance.kind !== 'foreign') || disturbance.kind === 'none',
          reasoning,
        }
        const view = reduce(framesOf(run, disturbance, options, run.run))
        expect(counted(view, counting)).toEqual(counted(truth(run, { reasoning }), counting))
        tally.set(`${disturbance.kind} ${reasoning}`, (tally.get(`${disturbance.kind} ${reasoning}`) ?? 0) + 1)
      }),
      { seed, numRuns },
    )
    expect(tally.size).toBe(10)
  },
  timeout,
)

const messagesOf = ({ script }: LiveRun): Message[] =>
  script.flatMap((item) => ('commit' in item ? item.commit.messages : []))

test(
  'so it does of a run that waited and goes on, to a client that saw both segments',
  () => {
    fc.assert(
      fc.property(anyResumedRun(), anyDisturbance, anyDisturbance, ({ first, second }, before, after) => {
        const context = { ...second.run, history: messagesOf(first) }
        const whole = [...framesOf(first, before, {}, first.run), ...framesOf(second, after, {}, context)]
        const counting = { ids: before.kind === 'none' && after.kind === 'none', reasoning: false }
        expect(counted(reduce(whole), counting)).toEqual(counted(truth(second, { first, reasoning: false }), counting))
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'results of calls from before the wait are told as resumed, all others as done',
  () => {
    fc.assert(
      fc.property(anyResumedRun(), anyDisturbance, ({ first, second }, disturbance) => {
        const context = { ...second.run, history: messagesOf(first) }
        const frames = framesOf(second, disturbance, {}, context)
        const earlier = first.after.openCalls.map(({ id }) => id)
        const resumed = frames.flatMap((frame) => (frame.event_type === 'tool_call_resumed' ? [frame.target_id] : []))
        expect(resumed.toSorted()).toEqual(earlier.toSorted())
        const done = frames.flatMap((frame) => (frame.event_type === 'tool_call_done' ? [frame.id] : []))
        expect(done.filter((id) => earlier.includes(id))).toEqual([])
      }),
      { seed, numRuns: Math.ceil(numRuns / 2) },
    )
  },
  timeout,
)

test(
  'no id that is minted in one segment of a run is minted in another',
  () => {
    const minted = (frames: readonly FlatEvent[]): string[] =>
      frames.flatMap((frame) =>
        frame.event_type === 'step_start' && frame.message_id.includes('-live-') ? [frame.message_id] : [],
      )
    let both = 0
    fc.assert(
      fc.property(anyResumedRun(), anyDisturbance, anyDisturbance, ({ first, second }, before, after) => {
        const earlier = new Set(minted(framesOf(first, before, {}, first.run)))
        const later = minted(framesOf(second, after, {}, { ...second.run, history: messagesOf(first) }))
        if (earlier.size > 0 && later.length > 0) both++
        expect(later.filter((id) => earlier.has(id))).toEqual([])
      }),
      { seed, numRuns: Math.ceil(numRuns / 2) },
    )
    expect(both).toBeGreaterThan(0)
  },
  timeout,
)

test('an attempt that was given up takes no id from the next segment', () => {
  const segmentOf = (history: readonly Message[], events: readonly AgentEvent[]): string[] => {
    const frames = groupsOf(events, transcoder({ threadId: 't', runId: 'r', history })).flat()
    return frames.flatMap((frame) => (frame.event_type === 'step_start' ? [frame.message_id] : []))
  }
  const START = factEvent({ type: 'run_started' })
  const said = (delta: string): AgentEvent => deltaEvent({ type: 'text_delta', delta })
  const reset = deltaEvent({ type: 'stream_reset', reason: 'again' })
  const content = [{ type: 'text', text: 'c' }] as const
  const first = segmentOf(
    [],
    [
      START,
      said('a'),
      reset,
      said('b'),
      reset,
      said('c'),
      factEvent({ type: 'assistant_message', id: 'm1', content }),
      factEvent({ type: 'awaiting', pending_tool_use_id: null }),
    ],
  )
  const second = segmentOf([{ id: 'm1', role: 'assistant', content }], [START, said('d')])
  expect(new Set([...first, ...second]).size).toBe(4)
})

test(
  'a client that joins anywhere ends with what the commits hold: thread, documents, model calls, result and end',
  () => {
    fc.assert(
      fc.property(anyRun(), fc.integer({ min: 0, max: 1000 }), (run, at) => {
        const position = 1 + Math.floor((at * (run.script.length - 1)) / 1000)
        const view = reduce(joinedFrames(run, position, transcoder(run.run, undefined, joinAt(run, position))))
        const turns = [...view.before.filter((entry): entry is Turn => entry.role === 'assistant'), ...view.turns]
        const told = { ...view, before: [], turns }
        const expected = truth(run, { reasoning: false })
        const counting = { ids: run.marked, reasoning: false }
        expect(counted(told, counting)).toEqual(counted(expected, counting))
      }),
      { seed, numRuns },
    )
  },
  timeout,
)
