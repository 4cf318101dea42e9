import { type AgentEvent, type Transcoder } from '@factwire/core'
import fc from 'fast-check'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { CLIENT_TOOL, anyDisturbance, anyRun, context, disturb } from '../../../testing/runs.ts'
import { framing } from '../src/framing.ts'
import { type OpenAiChatOptions, transcoder } from '../src/transcoder.ts'
import type { ChatFrame } from '../src/wire.ts'

const seed = 20_261_130
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 300)
const timeout = 3_600_000

const options: OpenAiChatOptions = { clientTools: [CLIENT_TOOL], includeUsage: true, approvalTool: 'approve' }

function transcode(
  stream: readonly AgentEvent[],
  target: Transcoder<ChatFrame> = transcoder(context, options),
): ChatFrame[] {
  const frames: ChatFrame[] = []
  let unsettled = false
  for (const event of stream) {
    if (unsettled && (event.tier === 'delta' || event.event.type === 'run_started')) {
      frames.push(...target.settled())
      unsettled = false
    }
    if (event.tier === 'delta') frames.push(...target.delta(event.event))
    else {
      frames.push(...target.fact(event.event))
      unsettled = true
    }
  }
  return [...frames, ...target.settled(), ...target.close()]
}

interface View {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  readonly finish: string | null
  readonly usage: unknown
  readonly error: string | undefined
}

/** What a user of the official SDK ends with. */
async function view(frames: readonly ChatFrame[]): Promise<View> {
  const body = frames.map((frame) => framing.text(frame)).join('')
  const client = new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const stream = client.chat.completions.stream({ model: 'm', messages: [], stream_options: { include_usage: true } })
  try {
    const { choices, usage } = await stream.finalChatCompletion()
    const [choice] = choices
    const calls = (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [{ id: call.id, name: call.function.name, arguments: call.function.arguments }] : [],
    )
    const text = choice?.message.content ?? ''
    return { text, calls, finish: choice?.finish_reason ?? null, usage, error: undefined }
  } catch (reason) {
    const error = reason instanceof OpenAI.APIError ? (reason.code ?? reason.message) : String(reason)
    return { text: '', calls: [], finish: null, usage: undefined, error }
  }
}

const RECONCILIATION = 'stream_reconciliation_failed'

test(
  'whatever became of the deltas, the official client ends with the view of the facts or an honest failure',
  async () => {
    const tally = { healed: 0, failed: 0 }
    await fc.assert(
      fc.asyncProperty(anyRun(), anyDisturbance, async (run, disturbance) => {
        const truth = await view(transcode(disturb(run, { kind: 'none' })))
        const seen = await view(transcode(disturb(run, disturbance)))
        const failed = seen.error === RECONCILIATION && truth.error !== RECONCILIATION
        tally[failed ? 'failed' : 'healed']++
        // No delta and any prefix always heal, unless the producer itself takes back what it had said. With offsets
        // everything does, but where a whole call was lost and the next one went out in its place.
        const noisy =
          disturbance.kind === 'noise' &&
          (!run.marked || (truth.calls.length > 1 && disturbance.fates.includes('lost')))
        const mayFail = run.resets || disturbance.kind === 'foreign' || noisy
        expect(failed && !mayFail).toBe(false)
        expect(failed ? undefined : seen).toEqual(failed ? undefined : truth)
      }),
      { seed, numRuns },
    )
    console.log(`healed ${tally.healed}, failed honestly ${tally.failed}`)
  },
  timeout,
)
