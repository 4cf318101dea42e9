import { type AgentEvent, type RunContext, type Transcoder } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Disturbance,
  type LiveRun,
  CLIENT_TOOL,
  anyDisturbance,
  anyRun,
  context,
  disturb,
  groupsOf,
  joinAt,
  joinedFrames,
} from '@factwire/conformance'
import { framing } from '../src/framing.ts'
import { type OpenAiChatOptions, transcoder } from '../src/transcoder.ts'
import type { ChatFrame } from '../src/wire.ts'
import { type ClientView, readChunks, readFinal, runTools } from './client.ts'

const seed = 20_261_130
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 300)
const timeout = 3_600_000

const options: OpenAiChatOptions = { clientTools: [CLIENT_TOOL], includeUsage: true, approvalTool: 'approve' }
const run: RunContext = { ...context, model: 'm-large', startedAt: 1_790_000_000_000 }
const tools = [CLIENT_TOOL, 'approve']

const bodyOf = (stream: readonly AgentEvent[], target: Transcoder<ChatFrame> = transcoder(run, options)): string =>
  groupsOf(stream, target)
    .flat()
    .map((frame) => framing.text(frame))
    .join('')

const bodyAfter = (live: LiveRun, disturbance: Disturbance): string => bodyOf(disturb(live, disturbance))

/** What a person sees. Of a stream that failed, only that it did and why. */
function seen({ text, toolCalls, finish, usage, error }: ClientView): unknown {
  return error ? { failed: error.code ?? error.message } : { text, toolCalls, finish, usage }
}

const RECONCILIATION = 'stream_reconciliation_failed'

test(
  'whatever became of the deltas, the official client ends with the view of the facts or an honest failure',
  async () => {
    const tally = { healed: 0, failed: 0 }
    await fc.assert(
      fc.asyncProperty(anyRun(), anyDisturbance, async (live, disturbance) => {
        const truth = await readFinal(bodyAfter(live, { kind: 'none' }))
        const view = await readFinal(bodyAfter(live, disturbance))
        const failed = view.error?.code === RECONCILIATION
        tally[failed ? 'failed' : 'healed']++
        // No delta and any prefix always heal, unless the producer itself takes back what it had said. With offsets
        // everything does, but where a whole call was lost and the next one went out in its place.
        const wholeCallLost =
          disturbance.kind === 'noise' && truth.toolCalls.length > 1 && disturbance.fates.includes('lost')
        const noisy = disturbance.kind === 'noise' && (!live.marked || wholeCallLost)
        const mayFail = live.resets || disturbance.kind === 'foreign' || noisy
        expect(failed && !mayFail).toBe(false)
        expect(failed ? undefined : seen(view)).toEqual(failed ? undefined : seen(truth))
        expect(truth.error?.code).not.toBe(RECONCILIATION)
        expect([...truth.warnings, ...view.warnings]).toEqual([])
      }),
      { seed, numRuns },
    )
    console.log(`chat chunks: ${tally.healed} healed, ${tally.failed} failed honestly`)
  },
  timeout,
)

test(
  'a client that joins anywhere ends with the same answer',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), fc.integer({ min: 0, max: 1000 }), async (live, at) => {
        const position = 1 + Math.floor((at * (live.script.length - 1)) / 1000)
        const frames = joinedFrames(live, position, transcoder(run, options, joinAt(live, position)))
        const view = await readFinal(frames.map((frame) => framing.text(frame)).join(''))
        const failed = view.error?.code === RECONCILIATION
        expect(failed && live.marked && !live.resets).toBe(false)
        // Usage of model calls before the join is not told again.
        const truth = await readFinal(bodyAfter(live, { kind: 'none' }))
        const read = (client: ClientView): unknown => (failed ? undefined : seen({ ...client, usage: undefined }))
        expect(read(view)).toEqual(read(truth))
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'both majors read the same, chunk by chunk and as a whole',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), anyDisturbance, async (live, disturbance) => {
        const body = bodyAfter(live, disturbance)
        const expected = seen(await readFinal(body))
        for (const version of ['7', '6'] as const) {
          expect(seen(await readFinal(body, { version }))).toEqual(expected)
          expect(seen(await readChunks(body, { version }))).toEqual(expected)
        }
      }),
      { seed, numRuns: Math.ceil(numRuns / 2) },
    )
  },
  timeout,
)

test(
  "a client that runs tools runs its own, once, and none of the agent's",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRun(),
        fc.constantFrom<Disturbance>({ kind: 'all' }, { kind: 'none' }),
        async (live, disturbance) => {
          const body = bodyAfter(live, disturbance)
          const { toolCalls, finish, error } = await readFinal(body)
          fc.pre(!error && finish !== 'length' && finish !== 'content_filter')
          for (const version of ['7', '6'] as const) {
            const view = await runTools(body, { version, tools })
            expect(view.error).toBeUndefined()
            expect(view.toolCalls).toEqual(toolCalls)
            expect(view.requests).toBe(toolCalls.length > 0 ? 2 : 1)
          }
        },
      ),
      { seed, numRuns: Math.ceil(numRuns / 4) },
    )
  },
  timeout,
)

test(
  'a producer that vanishes is an error to every client',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), anyDisturbance, fc.integer({ min: 0, max: 999 }), async (live, disturbance, cut) => {
        const stream = disturb(live, disturbance)
        const kept = stream.slice(0, Math.floor((stream.length * cut) / 1000))
        fc.pre(kept.some(({ event }) => event.type === 'run_started'))
        fc.pre(!kept.some(({ event }) => ['awaiting', 'run_finished', 'run_failed'].includes(event.type)))
        const view = await readFinal(bodyOf(kept))
        expect(['stream_failed', RECONCILIATION]).toContain(view.error?.code)
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test('a run that needs an approval fails where nobody can give it', async () => {
  const target = transcoder(run)
  const body = bodyOf(
    [
      { tier: 'fact', event: { type: 'run_started' } },
      {
        tier: 'fact',
        event: {
          type: 'awaiting',
          pending_tool_use_id: 'c1',
          pending: [{ tool_use_id: 'c1', kind: 'approval', message: 'may I?' }],
        },
      },
    ],
    target,
  )
  expect((await readFinal(body)).error?.code).toBe('approval_unsupported')
})
