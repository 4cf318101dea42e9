import { expect, test } from 'vitest'
import { type AgentEvent, factEvent } from '../src/event.ts'
import { dropped, exact, fateOf, type Fidelity, harmless, type Loss, lossy } from '../src/fidelity.ts'
import type { Encodable } from '../src/protocol.ts'
import { transcode, type TranscodeOptions } from '../src/transcode.ts'

const fidelity: Fidelity = {
  run_started: exact,
  assistant_message: exact,
  assistant_thinking: dropped(),
  tool_call: exact,
  tool_result: {
    cases: [{ when: 'it was denied', holds: ({ denied }) => denied === true, fate: lossy('that it was denied') }],
    otherwise: exact,
  },
  awaiting: exact,
  continuation: dropped('nobody asks'),
  run_finished: exact,
  run_failed: exact,
  step_ended: harmless(dropped()),
  inference_completed: dropped(),
  state_snapshot: exact,
  activity_snapshot: exact,
}

const words: Encodable<string> = {
  name: 'words',
  framing: {
    mediaType: 'text/plain',
    headers: {},
    heartbeat: '\n',
    text: (frame) => `${frame}\n`,
    parse: ({ data }) => data,
  },
  resume: 'none',
  fidelity,
  transcoder() {
    let ended = false
    return {
      fact(fact) {
        if (ended) return []
        ended = fact.type === 'run_failed' || fact.type === 'run_finished'
        return [fact.type === 'run_failed' ? `${fact.code}: ${fact.message}` : fact.type]
      },
      settled: () => [],
      delta: () => [],
      close: () => (ended ? [] : ['stream_failed']),
    }
  },
}

const events: readonly AgentEvent[] = [
  factEvent({ type: 'run_started' }),
  factEvent({ type: 'tool_result', id: 'c1', content: [], is_error: false }),
  factEvent({ type: 'step_ended', message_id: 'm1' }),
  factEvent({ type: 'tool_result', id: 'c2', content: [], is_error: true, denied: true }),
  factEvent({ type: 'continuation', steered: false, detail: null }),
  factEvent({ type: 'run_finished', exhausted: false }),
]

async function written(options: TranscodeOptions<unknown>): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of transcode(words, events, { threadId: 't', runId: 'r' }, options)) pieces.push(piece.trim())
  return pieces
}

test('the fate of a fact may depend on its fields', () => {
  expect(fateOf(fidelity, { type: 'tool_result', id: 'c1', content: [], is_error: false })).toEqual({ kept: 'exact' })
  expect(fateOf(fidelity, { type: 'tool_result', id: 'c1', content: [], is_error: false, denied: true })).toEqual({
    kept: 'lossy',
    loses: 'that it was denied',
  })
})

test('what is lost is told, fact by fact, and nothing changes on the wire', async () => {
  const losses: Loss[] = []
  const pieces = await written({ onLoss: (loss) => losses.push(loss) })
  expect(pieces).toEqual(await written({}))
  expect(losses.map(({ fact, fate }) => [fact.type, fate])).toEqual([
    ['step_ended', { kept: 'dropped', harmless: true }],
    ['tool_result', { kept: 'lossy', loses: 'that it was denied' }],
    ['continuation', { kept: 'dropped', why: 'nobody asks' }],
  ])
})

test('a strict stream fails instead of losing anything that somebody could miss', async () => {
  const losses: Loss[] = []
  expect(await written({ strict: true, onLoss: (loss) => losses.push(loss) })).toEqual([
    'run_started',
    'tool_result',
    'step_ended',
    'loss_refused: words loses that it was denied of tool_result',
  ])
  expect(losses.map(({ fact }) => fact.type)).toEqual(['step_ended', 'tool_result'])
})
