import { type AgentEvent, type Fact, factEvent } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Disturbance,
  type LiveRun,
  anyDisturbance,
  anyResumedRun,
  anyRun,
  context,
  disturb,
  groupsOf,
} from '@factwire/conformance'
import { reduce } from '../src/reduce.ts'
import { transcoder } from '../src/transcoder.ts'
import type { View } from '../src/view.ts'
import type { FlatEvent } from '../src/wire.ts'

const seed = 20_261_130
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 1500)
const timeout = 600_000

const groups = (stream: readonly AgentEvent[]): FlatEvent[][] => groupsOf(stream, transcoder(context))
const transcode = (stream: readonly AgentEvent[]): FlatEvent[] => groups(stream).flat()
const viewOf = (stream: readonly AgentEvent[]): View => reduce(transcode(stream))

/** What a person sees. Reasoning counts where facts carry it, which these runs' facts do not. */
function seen(view: View, ids: boolean, reasoning = false): unknown {
  const { status, termination, result, error, state, activities, inference } = view
  const turns = view.turns
    .filter((turn) => turn.text !== '' || turn.calls.length > 0 || (reasoning && turn.reasoning !== ''))
    .map((turn) => ({
      ...(ids ? { id: turn.id } : {}),
      ...(reasoning ? { reasoning: turn.reasoning } : {}),
      text: turn.text,
      calls: turn.calls.map((call) => ({
        id: call.id,
        name: call.name,
        arguments: call.arguments,
        status: call.status,
        result: call.result,
        ticket: call.ticket,
      })),
    }))
  return { status, termination, result, error, state, activities, inference, turns }
}

const terminals = (frames: readonly FlatEvent[]): number =>
  frames.filter(({ event_type }) => event_type === 'run_finish' || event_type === 'error').length

test(
  'whatever became of the deltas, the client ends with the view of the facts',
  () => {
    const tally = new Map<string, number>()
    fc.assert(
      fc.property(anyRun(), anyDisturbance, (run, disturbance) => {
        const ids = run.marked && disturbance.kind !== 'foreign'
        const truth = seen(viewOf(disturb(run, { kind: 'none' })), ids)
        expect(seen(viewOf(disturb(run, disturbance)), ids)).toEqual(truth)
        tally.set(disturbance.kind, (tally.get(disturbance.kind) ?? 0) + 1)
      }),
      { seed, numRuns },
    )
    expect(tally.size).toBe(5)
  },
  timeout,
)

test(
  'the same holds where tool ids repeat over steps',
  () => {
    fc.assert(
      fc.property(anyRun({ repeatIds: true }), anyDisturbance, (run, disturbance) => {
        const truth = seen(viewOf(disturb(run, { kind: 'none' })), false)
        expect(seen(viewOf(disturb(run, disturbance)), false)).toEqual(truth)
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'there is exactly one end, nothing after it, and nothing before the start',
  () => {
    fc.assert(
      fc.property(anyRun(), anyDisturbance, fc.integer({ min: 0, max: 1000 }), (run, disturbance, cut) => {
        const stream = disturb(run, disturbance)
        const frames = transcode(stream.slice(0, Math.round((stream.length * cut) / 1000)))
        if (frames.length === 0) return
        expect(frames[0]?.event_type).toBe('run_start')
        expect(terminals(frames)).toBe(1)
        expect(frames.at(-1)?.event_type).toBe('run_finish')
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'a producer that vanishes never looks like success, and leaves no call and no step open',
  () => {
    fc.assert(
      fc.property(anyRun(), anyDisturbance, fc.integer({ min: 0, max: 999 }), (run, disturbance, cut) => {
        const stream = disturb(run, disturbance)
        const kept = stream.slice(0, Math.floor((stream.length * cut) / 1000))
        if (!kept.some(({ event }) => event.type === 'run_started')) return
        const ended = kept.some(({ event }) => ['awaiting', 'run_finished', 'run_failed'].includes(event.type))
        const view = viewOf(kept)
        expect(ended || (view.status === 'failed' && view.error?.code === 'stream_failed')).toBe(true)
        expect(view.turns.filter((turn) => turn.open)).toEqual([])
        const calls = view.turns.flatMap((turn) => turn.calls)
        const open = calls.filter(({ status }) => status === 'streaming' || status === 'ready')
        expect(view.status === 'suspended' ? [] : open).toEqual([])
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'the same facts give the same frames, and live ids are the stored ones',
  () => {
    fc.assert(
      fc.property(anyRun(), (run) => {
        const facts = disturb(run, { kind: 'none' })
        expect(transcode(facts)).toEqual(transcode(facts))
        if (!run.marked) return
        const ids = viewOf(facts).turns.map((turn) => turn.id)
        const live = viewOf(disturb(run, { kind: 'all' })).turns.map((turn) => turn.id)
        expect(live.filter((id) => ids.includes(id))).toEqual(ids)
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'a client that was cut inside a group and sees it again ends with the same view',
  () => {
    const anyCuts = fc.array(fc.record({ at: fc.nat(), kept: fc.nat() }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(anyRun(), anyDisturbance, anyCuts, (run, disturbance, cuts) => {
        const whole = groups(disturb(run, disturbance))
        const torn = whole.map((group) => [group])
        for (const { at, kept } of cuts) {
          const group = whole[at % whole.length]
          // Something of the group was seen, but not its last frame, which carries the number.
          if (group && group.length > 1) torn[at % whole.length]?.unshift(group.slice(0, kept % group.length))
        }
        expect(seen(reduce(torn.flat(2)), true)).toEqual(seen(reduce(whole.flat()), true))
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

const misplaced: readonly Fact[] = [
  { type: 'tool_result', id: 'c9', content: [], is_error: false },
  { type: 'step_ended', message_id: 'nobody' },
  { type: 'run_finished', exhausted: false },
  { type: 'run_failed', code: 'late', message: 'too late' },
  { type: 'run_started' },
  { type: 'awaiting', pending_tool_use_id: 'c9', pending: [{ tool_use_id: 'c9', kind: 'client' }] },
]

test(
  'no order of facts and deltas makes it throw or end twice',
  () => {
    const anyMoves = fc.array(fc.record({ from: fc.nat(), to: fc.nat() }))
    fc.assert(
      fc.property(anyRun(), anyDisturbance, anyMoves, (run, disturbance, moves) => {
        const stream = [...disturb(run, disturbance), ...misplaced.map(factEvent)]
        for (const { from, to } of moves) {
          const [moved] = stream.splice(from % stream.length, 1)
          if (moved) stream.splice(to % stream.length, 0, moved)
        }
        const frames = transcode(stream)
        expect(terminals(frames)).toBe(1)
        expect(reduce(frames).status).not.toBe('running')
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

/** Without a thought there is no fact that could say so. */
const allThink = (run: LiveRun): boolean =>
  run.script.every(
    (item) =>
      'delta' in item ||
      item.commit.messages.every(
        ({ role, content }) => role !== 'assistant' || content.some((block) => block.type === 'thinking'),
      ),
  )

test(
  'reasoning comes to the truth as well, where the facts carry it and every message has some',
  () => {
    fc.assert(
      fc.property(anyRun(), anyDisturbance, (run, disturbance) => {
        fc.pre(allThink(run))
        const truth = seen(viewOf(disturb(run, { kind: 'none' }, { reasoning: 'text' })), false, true)
        expect(seen(viewOf(disturb(run, disturbance, { reasoning: 'text' })), false, true)).toEqual(truth)
      }),
      { seed, numRuns: Math.ceil(numRuns / 4) },
    )
  },
  timeout,
)

test(
  'a run that waited goes on in the next segment, and every call that waited has its result',
  () => {
    fc.assert(
      fc.property(anyResumedRun(), anyDisturbance, anyDisturbance, ({ first, second }, before, after) => {
        const both = (one: Disturbance, two: Disturbance): View =>
          reduce([...transcode(disturb(first, one)), ...transcode(disturb(second, two))])
        const truth = both({ kind: 'none' }, { kind: 'none' })
        expect(seen(both(before, after), false)).toEqual(seen(truth, false))
        const waiting = truth.turns.flatMap(({ calls }) => calls).filter(({ result }) => result === undefined)
        expect(waiting).toEqual([])
      }),
      { seed, numRuns: Math.ceil(numRuns / 2) },
    )
  },
  timeout,
)
