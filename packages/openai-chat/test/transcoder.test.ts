import {
  type Disturbance,
  type LiveRun,
  CLIENT_TOOL,
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
  checkGrammar,
  factEvent,
  type Message,
  type RunContext,
  runWriter,
  type Standing,
} from '@factwire/core'
import fc from 'fast-check'
import { callsTaken } from '../../conformance/src/situation.ts'
import { expect, test } from 'vitest'
import { framing } from '../src/framing.ts'
import { grammar } from '../src/grammar.ts'
import type { OpenAiChatOptions } from '../src/options.ts'
import { transcoder } from '../src/transcoder.ts'
import { type ClientVersion, type ClientView, readChunks, readFinal, runTools } from './client.ts'
import { contextOf, options, tools } from './subject.ts'

const VERSIONS: readonly ClientVersion[] = ['7', '6']

const seed = 20_261_130
const numRuns = Math.ceil(Number(process.env['FACTWIRE_RUNS'] || 200) / 2)
const timeout = 600_000

const RECONCILIATION = 'stream_reconciliation_failed'

function bodyOf(live: LiveRun, events: readonly AgentEvent[], given: OpenAiChatOptions = options): string {
  const groups = groupsOf(events, transcoder(contextOf(live), given))
  return groups.flatMap((frames) => frames.map((frame) => framing.text(frame))).join('')
}

/** What a person sees. Of a stream that failed, only that it did and why. */
function seen({ text, toolCalls, finish, usage, error }: ClientView): unknown {
  return error ? { failed: error.code ?? error.message } : { text, toolCalls, finish, usage }
}

test(
  'both majors read the same, chunk by chunk and as a whole',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), anyDisturbance, async (live, disturbance) => {
        const body = bodyOf(live, disturb(live, disturbance))
        const expected = seen(await readFinal(body))
        for (const version of VERSIONS) {
          expect(seen(await readFinal(body, { version }))).toEqual(expected)
          expect(seen(await readChunks(body, { version }))).toEqual(expected)
        }
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  "a client that runs tools runs its own, once, and none of the agent's",
  async () => {
    const shown = fc.constantFrom<Disturbance>({ kind: 'all' }, { kind: 'none' })
    await fc.assert(
      fc.asyncProperty(anyRun(), shown, async (live, disturbance) => {
        const body = bodyOf(live, disturb(live, disturbance))
        const { toolCalls, finish, error } = await readFinal(body)
        fc.pre(!error && finish !== 'length' && finish !== 'content_filter')
        for (const version of VERSIONS) {
          const view = await runTools(body, { version, tools })
          expect(view.error).toBeUndefined()
          expect(view.toolCalls).toEqual(toolCalls)
          expect(view.requests).toBe(toolCalls.length > 0 ? 2 : 1)
        }
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'whoever joins a segment that goes on after a wait is told that segment, and nothing of the one before',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyResumedRun(), fc.integer({ min: 0, max: 1000 }), async ({ first, second }, at) => {
        const run = contextOf(second, first)
        const position = 1 + Math.floor((at * (second.script.length - 1)) / 1000)
        const { committed, open } = joinAt(second, position)
        const thread = { ...committed, messages: [...(run.history ?? []), ...committed.messages] }
        const frames = joinedFrames(second, position, transcoder(run, options, { committed: thread, open }))
        const view = await readFinal(frames.map((frame) => framing.text(frame)).join(''))
        // Without offsets, what was streamed and taken back may not be healed.
        fc.pre(
          view.error?.code !== RECONCILIATION || (second.marked && !second.resets && callsTaken(second).size === 0),
        )
        const whole = groupsOf(disturb(second, { kind: 'none' }), transcoder(run, options)).flat()
        const truth = await readFinal(whole.map((frame) => framing.text(frame)).join(''))
        // Usage of model calls before the join is not told again.
        expect(seen({ ...view, usage: undefined })).toEqual(seen({ ...truth, usage: undefined }))
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test.each([
  ['is told what came before a message that steers the run', 1, 'a\n\nb'],
  ['is told what came after the last message of the user, where nobody knows the request', 0, 'b'],
] as const)('whoever joins %s', async (_name, known, expected) => {
  const said = (id: string, role: Message['role'], text: string): Message => ({
    id,
    role,
    content: [{ type: 'text', text }],
  })
  const messages = [
    said('u1', 'user', 'go'),
    said('m1', 'assistant', 'a'),
    said('u2', 'user', 'and'),
    said('m2', 'assistant', 'b'),
  ]
  const standing: Standing = { state: { type: 'ended', cause: { type: 'natural_end' } }, openCalls: [] }
  const run: RunContext = { threadId: 't', runId: 'r', ...(known > 0 ? { history: messages.slice(0, known) } : {}) }
  const target = transcoder(run, {}, { committed: { messages, standing }, open: [] })
  const { text } = await readFinal(
    target
      .settled()
      .map((frame) => framing.text(frame))
      .join(''),
  )
  expect(text).toBe(expected)
})

test('a held preview whose call has the id of a committed one shows nothing of that call', () => {
  const target = transcoder({ threadId: 't', runId: 'r' }, options)
  const call = { type: 'tool_call_delta', id: 'c1', name: CLIENT_TOOL, args_delta: '{}' } as const
  const message_id = 'm1'
  const frames = [
    ...target.fact({ type: 'run_started' }),
    // Text and call are held, because their step is not the first.
    ...target.delta({ type: 'step_started', message_id: 'm8' }),
    ...target.delta({ type: 'step_started', message_id: 'm9' }),
    ...target.delta({ type: 'text_delta', delta: 'a' }),
    ...target.delta(call),
    ...target.fact({ type: 'tool_call', id: 'c0', name: 'search', input: 1, disposition: 'executed', message_id }),
    ...target.fact({
      type: 'tool_call',
      id: 'c1',
      name: CLIENT_TOOL,
      input: 1,
      disposition: 'pending_client',
      message_id,
    }),
    ...target.settled(),
    ...target.fact({ type: 'tool_result', id: 'c0', content: [], is_error: false }),
    ...target.settled(),
  ]
  const check = checkGrammar(grammar)
  expect(frames.flatMap((frame) => check.push(frame))).toEqual([])
  expect(frames).toHaveLength(2)
})

test('whatever the options, no stream breaks a rule', async () => {
  const anyOptions = fc.record(
    {
      clientTools: fc.constant([CLIENT_TOOL]),
      includeUsage: fc.boolean(),
      approvalTool: fc.constant('approve'),
      reasoning: fc.constantFrom('reasoning_content' as const, 'reasoning' as const),
      extension: fc.constant('factwire'),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(anyRun(), anyDisturbance, anyOptions, async (live, disturbance, given) => {
      const check = checkGrammar(grammar)
      const events = disturb(live, disturbance, { reasoning: 'text' })
      const frames = groupsOf(events, transcoder(contextOf(live), given)).flat()
      expect([...frames.flatMap((frame) => check.push(frame)), ...check.end()]).toEqual([])
      const { error, warnings } = await readFinal(frames.map((frame) => framing.text(frame)).join(''))
      expect([error?.reported ?? error, warnings]).toEqual([check.ended() === 'failed' ? true : undefined, []])
    }),
    { seed, numRuns },
  )
})

test('a run that needs an approval fails where nobody can give it', async () => {
  const target = transcoder({ threadId: 't', runId: 'r' })
  const waits: readonly AgentEvent[] = [
    factEvent({ type: 'run_started' }),
    factEvent({
      type: 'awaiting',
      pending_tool_use_id: 'c1',
      pending: [{ tool_use_id: 'c1', kind: 'approval', message: 'may I?' }],
    }),
  ]
  const frames = groupsOf(waits, target).flat()
  const { error } = await readFinal(frames.map((frame) => framing.text(frame)).join(''))
  expect(error?.code).toBe('approval_unsupported')
})

test('who joins where the stream cannot be brought to the truth hears of the failure, and of nothing after it', () => {
  const run: RunContext = { threadId: 't', runId: 'r' }
  const joined = transcoder(
    run,
    { clientTools: ['ask'] },
    {
      committed: { messages: [], standing: { state: { type: 'running' }, openCalls: [] } },
      open: [
        { type: 'tool_call_delta', id: 'c', name: 'ask', args_delta: '{}' },
        { type: 'stream_reset', reason: 'the connection broke' },
        { type: 'text_delta', delta: 'Once more.' },
      ],
    },
  )
  const frames = [...joined.settled(), ...joined.delta({ type: 'text_delta', delta: 'And more.' }), ...joined.close()]
  expect(frames.map((frame) => (typeof frame === 'object' && 'error' in frame ? 'error' : 'chunk'))).toEqual([
    'chunk',
    'chunk',
    'chunk',
    'error',
  ])
})

test('a writer that begins again is heard from where the first attempt broke off', async () => {
  const run = runWriter({ runId: 'r' })
  const written = [run.text('Hello'), run.reset('connection lost'), run.text('Hel'), run.text('lo there.'), run.end()]
  const target = transcoder({ threadId: 't', runId: 'r' })
  const frames = groupsOf(
    written.flatMap(({ events }) => events),
    target,
  ).flat()
  expect(await readFinal(frames.map((frame) => framing.text(frame)).join(''))).toMatchObject({
    text: 'Hello there.',
    finish: 'stop',
  })
})
