import { type Disturbance, type LiveRun, anyDisturbance, anyRun, disturb, groupsOf } from '@factwire/conformance'
import { type AgentEvent, factEvent } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { framing } from '../src/framing.ts'
import { type OpenAiChatOptions, transcoder } from '../src/transcoder.ts'
import { type ClientVersion, type ClientView, readChunks, readFinal, runTools } from './client.ts'
import { contextOf, options, tools } from './subject.ts'

const VERSIONS: readonly ClientVersion[] = ['7', '6']

const seed = 20_261_130
const numRuns = Math.ceil(Number(process.env['FACTWIRE_RUNS'] || 200) / 2)
const timeout = 600_000

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
