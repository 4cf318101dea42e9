import { anyDisturbance, anyRun, disturb, groupsOf } from '@factwire/conformance'
import {
  type AgentEvent,
  type Fact,
  type Message,
  type ToolResultBlock,
  deltaEvent,
  factEvent,
  writer,
} from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sse } from '../src/index.ts'
import { transcoder } from '../src/transcoder.ts'
import type { FlatEvent } from '../src/wire.ts'

const seed = 20_261_130
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 600)
const timeout = 600_000

/** The number of each message in a text; undefined where it has none. */
const numbersIn = (text: string): (number | undefined)[] =>
  text
    .split('\n\n')
    .slice(0, -1)
    .map((message) => {
      const [, number] = /^id: (\d+)$/m.exec(message) ?? []
      return number === undefined ? undefined : Number(number)
    })

/** Facts that every reader is told, whatever was shown before. */
const ALWAYS = new Set<AgentEvent['event']['type']>([
  'run_started',
  'tool_call',
  'tool_result',
  'inference_completed',
  'state_snapshot',
  'activity_snapshot',
  'awaiting',
  'run_finished',
  'run_failed',
])

test(
  'the last frame of an event carries its number, counted over all events, and nothing else does',
  () => {
    fc.assert(
      fc.property(anyRun(), anyDisturbance, fc.nat({ max: 50 }), fc.boolean(), (run, disturbance, from, cut) => {
        const all = disturb(run, disturbance)
        const stream = cut ? all.slice(0, all.length >> 1) : all
        const { push, close } = writer(sse, run.run, { seq: from })
        let begun = false
        let over = false
        const wrong = stream.flatMap((told, index): unknown[] => {
          const { tier, event } = told
          const numbers = numbersIn(push(told))
          begun ||= event.type === 'run_started'
          const due = tier === 'fact' && ALWAYS.has(event.type) && begun && !over
          over ||= ['awaiting', 'run_finished', 'run_failed'].includes(event.type)
          const given = numbers.filter((number) => number !== undefined)
          const right = given.length === 0 ? !due : given.length === 1 && numbers.at(-1) === from + index
          return right ? [] : [{ event, number: from + index, numbers }]
        })
        expect(wrong).toEqual([])
        // The producer is gone, so these belong to no event.
        expect(numbersIn(close()).filter((number) => number !== undefined)).toEqual([])
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'text comes last in a group, or after what empties the step, so that seeing the group again doubles nothing',
  () => {
    fc.assert(
      fc.property(anyRun(), anyDisturbance, (run, disturbance) => {
        const groups = groupsOf(disturb(run, disturbance, { reasoning: 'text' }), transcoder(run.run))
        const wrong = groups.filter((group) => {
          const types = group.map(({ event_type }) => event_type)
          const emptied = types.findIndex((type) => type === 'step_start' || type === 'stream_reset')
          const early = types.findIndex((type) => type === 'text_delta' || type === 'reasoning_delta')
          return early !== -1 && early !== types.length - 1 && (emptied === -1 || emptied > early)
        })
        expect(wrong).toEqual([])
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'a call that is done says how it went in both places and names its stored message, and the last step ends before the run does',
  () => {
    const OUTCOMES = { success: 'succeeded', error: 'failed', pending: 'suspended' } as const
    fc.assert(
      fc.property(anyRun(), anyDisturbance, (run, disturbance) => {
        const frames = groupsOf(disturb(run, disturbance), transcoder(run.run)).flat()
        const stored = new Map<string, string>()
        for (const item of run.script) {
          for (const { id, content } of 'commit' in item ? item.commit.messages : []) {
            for (const block of content) if (block.type === 'tool_result') stored.set(block.tool_use_id, id)
          }
        }
        let open = false
        const wrong = frames.filter((frame) => {
          if (frame.event_type === 'step_start') open = true
          else if (frame.event_type === 'step_end') open = false
          else if (frame.event_type === 'run_finish') return open
          if (frame.event_type !== 'tool_call_done') return false
          return frame.outcome !== OUTCOMES[frame.result.status] || frame.message_id !== (stored.get(frame.id) ?? '')
        })
        expect(wrong).toEqual([])
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

const START = factEvent({ type: 'run_started' })
const call: Fact = {
  type: 'tool_call',
  id: 'c1',
  name: 'rm',
  input: {},
  disposition: 'executed',
  message_id: 'm1',
}
const done: Fact = { type: 'tool_result', id: 'c1', content: [], is_error: false, message_id: 't1', name: 'rm' }

function framesOf(events: readonly AgentEvent[]): FlatEvent[][] {
  const { push, settled } = ((target) => ({
    push: (event: AgentEvent) => (event.tier === 'delta' ? target.delta(event.event) : target.fact(event.event)),
    settled: () => target.settled(),
  }))(transcoder({ threadId: 't', runId: 'r' }))
  return events.map((event) => [...push(event), ...(event.tier === 'fact' ? settled() : [])])
}

test('what came of the next message while results were awaited is shown as soon as the last of them is there', () => {
  const [, , held, released] = framesOf([
    START,
    factEvent(call),
    deltaEvent({ type: 'text_delta', delta: 'Gone', message_id: 'm2', offset: 0 }),
    factEvent(done),
  ])
  expect(held).toEqual([])
  expect(released).toMatchObject([
    { event_type: 'tool_call_done', id: 'c1' },
    { event_type: 'step_start', message_id: 'm2' },
    { event_type: 'text_delta', delta: 'Gone' },
  ])
})

test('what came before its message was known to be over is shown with the end of the step before', () => {
  const frames = framesOf([
    START,
    factEvent({ ...call, disposition: 'executed' }),
    deltaEvent({ type: 'reasoning_delta', delta: 'hm', message_id: 'm2', offset: 0 }),
    deltaEvent({ type: 'tool_call_delta', id: 'c2', name: 'ls', args_delta: '{}', message_id: 'm2', offset: 0 }),
    factEvent(done),
    factEvent({ type: 'step_ended', message_id: 'm1' }),
  ]).flat()
  const types = frames.map(({ event_type }) => event_type)
  expect(types.slice(types.indexOf('tool_call_done'))).toEqual([
    'tool_call_done',
    'step_start',
    'reasoning_delta',
    'tool_call_start',
    'tool_call_delta',
  ])
})

test('the result that was awaited brings it, before anybody says that the commit is complete', () => {
  const target = transcoder({ threadId: 't', runId: 'r' })
  for (const fact of [START.event, call]) target.fact(fact)
  target.settled()
  target.delta({ type: 'text_delta', delta: 'Gone', message_id: 'm2', offset: 0 })
  expect(target.fact(done).map(({ event_type }) => event_type)).toEqual(['tool_call_done', 'step_start', 'text_delta'])
})

test('the first and the last frame say whose run it is', () => {
  const identity = { thread_id: 't', run_id: 'r', agent_id: 'helper', origin: 'subagent' } as const
  const target = transcoder({ threadId: 't', runId: 'r', parentRunId: 'p', identity })
  const frames = [...target.fact(START.event), ...target.fact({ type: 'run_finished', exhausted: false })]
  expect(frames).toMatchObject([
    { event_type: 'run_start', thread_id: 't', run_id: 'r', parent_run_id: 'p', identity },
    { event_type: 'run_finish', thread_id: 't', run_id: 'r', identity },
  ])
})

test('a ticket says all that whoever is asked must know', () => {
  const pending = {
    tool_use_id: 'c1',
    kind: 'approval',
    approval_id: 'perm-1',
    message: 'may I?',
    parameters: { path: '/x' },
    response_schema: { type: 'object' },
  } as const
  const frames = framesOf([
    START,
    factEvent({ ...call, disposition: 'pending_builtin' }),
    factEvent({ type: 'awaiting', pending_tool_use_id: 'c1', pending: [pending] }),
  ])
  expect(frames.at(-1)?.[0]).toMatchObject({
    event_type: 'tool_call_done',
    id: 'c1',
    outcome: 'suspended',
    result: {
      status: 'pending',
      suspension: {
        suspension: {
          id: 'perm-1',
          action: 'tool:PermissionConfirm',
          message: 'may I?',
          parameters: { path: '/x' },
          response_schema: { type: 'object' },
        },
        pending: { id: 'perm-1', name: 'permission_confirm', arguments: { path: '/x' } },
        resume_mode: 'replay_tool_call',
      },
    },
  })
})

test('every message of a snapshot has an id of its own', () => {
  const result = (tool_use_id: string): ToolResultBlock => ({
    type: 'tool_result',
    tool_use_id,
    content: [],
    is_error: false,
  })
  const messages: readonly Message[] = [{ id: 't1', role: 'tool', content: [result('c1'), result('c2'), result('c3')] }]
  expect(sse.history?.({ messages, standing: { openCalls: [] } })).toMatchObject([
    { id: 't1', tool_call_id: 'c1' },
    { id: 't1-1', tool_call_id: 'c2' },
    { id: 't1-2', tool_call_id: 'c3' },
  ])
})

test('a patch out of sequence is not shown, and none after it', () => {
  const patch = (revision: number): AgentEvent =>
    deltaEvent({ type: 'state_delta', delta: [{ op: 'add', path: '/n', value: revision }], revision })
  const frames = framesOf([START, patch(0), patch(0), patch(2), patch(1), patch(3), patch(2)])
  const shown = frames.flat().flatMap((frame) => (frame.event_type === 'state_delta' ? [frame.delta[0]] : []))
  expect(shown).toMatchObject([{ value: 0 }, { value: 1 }, { value: 2 }])
})

test('a call under another name is withdrawn, and told under its own', () => {
  const frames = framesOf([
    START,
    deltaEvent({ type: 'tool_call_delta', id: 'c1', name: 'ls', args_delta: '{}', message_id: 'm1', offset: 0 }),
    factEvent(call),
  ])
  expect(frames.at(-1)).toMatchObject([
    { event_type: 'stream_reset' },
    { event_type: 'tool_call_start', id: 'c1', name: 'rm' },
    { event_type: 'tool_call_ready', id: 'c1', name: 'rm' },
  ])
})
