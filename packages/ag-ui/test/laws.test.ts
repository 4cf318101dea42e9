import { type AgentEvent, type Message, type RunContext, type Transcoder } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type LiveRun,
  anyDisturbance,
  anyResumedRun,
  anyRun,
  context,
  disturb,
  groupsOf,
  joinAt,
  joinedFrames,
} from '@factwire/conformance'
import { history } from '../src/history.ts'
import { transcoder } from '../src/transcoder.ts'
import type { AgUiEvent } from '../src/wire.ts'
import type { AgUiMessage } from '../src/wire-message.ts'
import { type ClientView, clientView } from './client.ts'

const seed = 20_261_130
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 150)
const timeout = 3_600_000

const earlier: readonly Message[] = [
  { id: 'user-1', role: 'user', content: [{ type: 'text', text: 'Hello' }] },
  { id: 'old-1', role: 'assistant', content: [{ type: 'text', text: 'Hi. ' }] },
  { id: 'user-2', role: 'user', content: [{ type: 'text', text: 'Now do it.' }] },
]
const withHistory: RunContext = { ...context, history: earlier }
const before = history({ messages: earlier })

const transcode = (
  stream: readonly AgentEvent[],
  target: Transcoder<AgUiEvent> = transcoder(withHistory),
): AgUiEvent[] => groupsOf(stream, target).flat()

/** What a person sees: the conversation, the state, the end. Thoughts and printing are shown, but are no part of it. */
function seen(view: ClientView, ids: boolean): unknown {
  const calls: string[] = []
  // A call whose id the client had met for something else has another id.
  const callId = (id: string): string | number => {
    if (ids) return id
    if (!calls.includes(id)) calls.push(id)
    return calls.indexOf(id)
  }
  const messages = view.messages.flatMap((message: AgUiMessage): unknown[] => {
    if (message.role === 'reasoning' || message.role === 'activity') return []
    // No fact tells what somebody else said meanwhile: only a snapshot does.
    if (message.id.startsWith('steer-')) return []
    const { id, ...rest } =
      message.role === 'assistant' && message.toolCalls
        ? { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: callId(call.id) })) }
        : message.role === 'tool'
          ? { ...message, toolCallId: callId(message.toolCallId) }
          : message
    return [
      {
        ...(ids ? { id } : {}),
        ...('content' in rest && rest.content === '' ? { ...rest, content: undefined } : rest),
      },
    ]
  })
  return {
    messages,
    state: view.state,
    ends: ids ? view.ends : view.ends.map(({ type }) => type),
    interrupts: ids ? view.interrupts : 0,
  }
}

function accepted(view: ClientView): void {
  expect(view.rejected).toBeUndefined()
  expect(view.warnings).toEqual([])
  expect(view.ends).toHaveLength(1)
}

const failedToReconcile = (view: ClientView): boolean =>
  view.ends.some((end) => end.type === 'RUN_ERROR' && end.code === 'stream_reconciliation_failed')

test(
  'whatever became of the deltas, the official client ends with the view of the facts',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), anyDisturbance, async (run, disturbance) => {
        const ids = run.marked && disturbance.kind !== 'foreign'
        const truth = await clientView(transcode(disturb(run, { kind: 'none' })), before)
        accepted(truth)
        const view = await clientView(transcode(disturb(run, disturbance)), before)
        accepted(view)
        expect(seen(view, ids)).toEqual(seen(truth, ids))
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

/** A call that was given up stays where nothing can be taken back, and says that it was cancelled. */
function withoutCancelled(view: ClientView): ClientView {
  const gone = new Set(
    view.messages.flatMap((message) =>
      message.role === 'tool' && message.id.endsWith('-cancelled') ? [message.toolCallId] : [],
    ),
  )
  const messages = view.messages.flatMap((message): AgUiMessage[] => {
    if (message.role === 'tool') return message.id.endsWith('-cancelled') ? [] : [message]
    if (message.role !== 'assistant' || !message.toolCalls) return [message]
    const { toolCalls, ...rest } = message
    const kept = toolCalls.filter(({ id }) => !gone.has(id))
    if (kept.length > 0) return [{ ...rest, toolCalls: kept }]
    return rest.content === undefined ? [] : [rest]
  })
  return { ...view, messages }
}

test(
  'without history it heals where nothing has to be taken back, and fails honestly elsewhere',
  async () => {
    const tally = { healed: 0, failed: 0 }
    await fc.assert(
      fc.asyncProperty(anyRun(), anyDisturbance, async (run, disturbance) => {
        const truth = await clientView(transcode(disturb(run, { kind: 'none' }), transcoder(context)))
        accepted(truth)
        const view = await clientView(transcode(disturb(run, disturbance), transcoder(context)))
        accepted(view)
        const failed = failedToReconcile(view)
        tally[failed ? 'failed' : 'healed']++
        expect(failed && !run.resets && ['none', 'prefix', 'all'].includes(disturbance.kind)).toBe(false)
        // A run that failed for a reason of its own keeps it, whatever was shown before.
        const over = view.ends.some(({ type }) => type === 'RUN_ERROR')
        expect(over ? undefined : seen(withoutCancelled(view), false)).toEqual(over ? undefined : seen(truth, false))
      }),
      { seed, numRuns },
    )
    expect(tally.healed).toBeGreaterThan(0)
  },
  timeout,
)

/** The stream of a client that joins before a position of the script. */
function joined(run: LiveRun, position: number): AgUiEvent[] {
  const join = joinAt(run, position)
  const target = transcoder(
    withHistory,
    {},
    {
      ...join,
      committed: { ...join.committed, messages: [...earlier, ...join.committed.messages] },
    },
  )
  return joinedFrames(run, position, target)
}

test(
  'a client that joins anywhere ends with the same conversation, whatever it had before',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRun(),
        fc.integer({ min: 0, max: 1000 }),
        fc.constantFrom('nothing', 'something', 'everything'),
        async (run, at, had) => {
          fc.pre(run.marked)
          const facts = transcode(disturb(run, { kind: 'none' }))
          const truth = await clientView(facts, before)
          const position = 1 + Math.floor((at * (run.script.length - 1)) / 1000)
          const known = had === 'nothing' ? [] : had === 'something' ? before : truth.messages
          const view = await clientView(joined(run, position), known)
          accepted(view)
          expect(conversation(view)).toEqual(conversation(truth))
        },
      ),
      { seed, numRuns },
    )
  },
  timeout,
)

/** The messages alone: usage of model calls before the join is not told again. */
const conversation = (view: ClientView): unknown => seen({ ...view, ends: [] }, true)

test(
  'the final messages are those of the stored thread, ids included',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), async (run) => {
        fc.pre(run.marked)
        const committed = joinAt(run, run.script.length).committed
        const stored = history({ messages: [...earlier, ...committed.messages] })
        const view = await clientView(transcode(disturb(run, { kind: 'all' })), before)
        const none: ClientView = {
          messages: stored,
          state: {},
          told: false,
          pending: [],
          ends: [],
          interrupts: [],
          warnings: [],
          rejected: undefined,
        }
        expect(seen({ ...view, ends: [], state: {}, interrupts: [] }, true)).toEqual(seen(none, true))
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'a client of 0.0.59 ends with the view of the facts, when it is the target',
  async () => {
    const older = (): Transcoder<AgUiEvent> => transcoder(withHistory, { target: '0.0.59' })
    await fc.assert(
      fc.asyncProperty(anyRun(), anyDisturbance, async (run, disturbance) => {
        const ids = run.marked && disturbance.kind !== 'foreign'
        const truth = await clientView(transcode(disturb(run, { kind: 'none' }), older()), before, '0.0.59')
        accepted(truth)
        const view = await clientView(transcode(disturb(run, disturbance), older()), before, '0.0.59')
        accepted(view)
        expect(seen(view, ids)).toEqual(seen(truth, ids))
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'a run that waited goes on, with the answers that the client gave itself told once',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyResumedRun(), anyDisturbance, async ({ first, second }, disturbance) => {
        fc.pre(first.marked)
        const stored = joinAt(first, first.script.length).committed.messages
        const pending = first.script.flatMap((item) => ('commit' in item ? (item.commit.pending ?? []) : []))
        const asked = new Set(pending.flatMap(({ kind, tool_use_id }) => (kind === 'client' ? [tool_use_id] : [])))
        const [opening] = second.script
        const answers = (opening && 'commit' in opening ? opening.commit.messages : []).filter(({ content }) =>
          content.some((block) => block.type === 'tool_result' && asked.has(block.tool_use_id)),
        )
        // The client's request brings its own answers, so they stand in the history.
        const thread = [...earlier, ...stored, ...answers]
        const known = history({ messages: thread })
        const resumed = (): Transcoder<AgUiEvent> => transcoder({ ...context, history: thread })
        const truth = await clientView(transcode(disturb(second, { kind: 'none' }), resumed()), known)
        accepted(truth)
        const view = await clientView(transcode(disturb(second, disturbance), resumed()), known)
        accepted(view)
        expect(seen(view, disturbance.kind !== 'foreign')).toEqual(seen(truth, disturbance.kind !== 'foreign'))
        const calls = truth.messages.flatMap((message) =>
          message.role === 'assistant' ? (message.toolCalls ?? []) : [],
        )
        const results = truth.messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))
        expect(results.toSorted()).toEqual(calls.map(({ id }) => id).toSorted())
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'a producer that vanishes never looks like success, and leaves no call that a client would run',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), anyDisturbance, fc.integer({ min: 0, max: 1000 }), async (run, disturbance, cut) => {
        const stream = disturb(run, disturbance)
        const kept = stream.slice(0, Math.floor((stream.length * cut) / 1000))
        fc.pre(kept.some(({ event }) => event.type === 'run_started'))
        fc.pre(!kept.some(({ event }) => ['awaiting', 'run_finished', 'run_failed'].includes(event.type)))
        const view = await clientView(transcode(kept), before)
        accepted(view)
        expect(view.ends).toMatchObject([{ type: 'RUN_ERROR', code: 'stream_failed' }])
        const calls = view.messages.flatMap((message) =>
          message.role === 'assistant' ? (message.toolCalls ?? []) : [],
        )
        const results = view.messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))
        expect(calls.map(({ id }) => id).filter((id) => !results.includes(id))).toEqual([])
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'a client may join at every event of a run',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), async (run) => {
        fc.pre(run.marked)
        const truth = await clientView(transcode(disturb(run, { kind: 'none' })), before)
        for (let position = 1; position < run.script.length; position++) {
          const view = await clientView(joined(run, position), before)
          accepted(view)
          expect(conversation(view)).toEqual(conversation(truth))
        }
      }),
      { seed, numRuns: Math.ceil(numRuns / 15) },
    )
  },
  timeout,
)
