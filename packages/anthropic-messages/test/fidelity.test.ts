import { context, decodeChunks } from '@factwire/conformance'
import { equalJson, type Fact, fateOf, type Json } from '@factwire/core'
import { expect, test } from 'vitest'
import { anthropicMessages, fidelity, framing, transcoder } from '../src/index.ts'

const started: Fact = { type: 'run_started' }
const call: Fact = { type: 'tool_call', id: 'c1', name: 'ask', input: { q: 1 }, disposition: 'pending_client' }
const asked: Fact = { ...call, disposition: 'pending_builtin' }

/** Whether the last fact comes back as it was. */
function comesBack(...facts: Fact[]): boolean {
  const target = transcoder(context, { approvalTool: 'approve' })
  const frames = [...[started, ...facts].flatMap((fact) => target.fact(fact)), ...target.settled(), ...target.close()]
  const body = frames.map((frame) => framing.text(frame)).join('')
  const events = decodeChunks(anthropicMessages, [new TextEncoder().encode(body)])
  return events.some(({ event }) => equalJson(event as unknown as Json, facts.at(-1) as unknown as Json))
}

const finished = (more: object): Fact => ({ type: 'run_finished', exhausted: false, ...more })
const failed = (code: string, message: string): Fact => ({ type: 'run_failed', code, message })
const awaits = (id: string | null, ...kinds: readonly ('client' | 'approval')[]): Fact => ({
  type: 'awaiting',
  pending_tool_use_id: id,
  pending: kinds.map((kind) => ({ tool_use_id: 'c1', kind })),
})

test.each<[string, Fact[]]>([
  ['a natural end', [finished({ cause: { type: 'natural_end' } })]],
  ['an end without a cause', [finished({})]],
  ['an end with a result', [finished({ cause: { type: 'natural_end' }, result: 1 })]],
  ['too many steps', [finished({ exhausted: true, cause: { type: 'max_steps' } })]],
  ['too long an answer', [finished({ exhausted: true, cause: { type: 'max_steps', code: 'length' } })]],
  ['a context that is full', [finished({ exhausted: true, cause: { type: 'max_steps', code: 'context_window' } })]],
  ['a pause', [finished({ exhausted: true, cause: { type: 'max_steps', code: 'pause_turn' } })]],
  ['a refusal', [finished({ cause: { type: 'blocked', reason: 'refusal' } })]],
  ['a filter', [finished({ cause: { type: 'blocked', reason: 'content_filter' } })]],
  ['another block', [finished({ cause: { type: 'blocked', reason: 'policy' } })]],
  ['a cancelled run', [finished({ cause: { type: 'cancelled' } })]],
  ['a failure', [failed('rate_limited', '429')]],
  ['a failure of a type of the wire', [failed('overloaded_error', 'Overloaded')]],
  ['a failure with a code in capitals', [failed('Rate-Limited', '429')]],
  ['a failure with a number for a code', [failed('429', 'slow down')]],
  ['a failure without a message', [failed('lost', '')]],
  ['a failure with a long message', [failed('lost', 'm'.repeat(4001))]],
  ['a failure with a message that just fits', [failed('lost', 'm'.repeat(4000))]],
  ['a failure with a long code', [failed('c'.repeat(65), 'm')]],
  ['a failure with a code that just fits', [failed('c'.repeat(64), 'm')]],
  ['a wait for the client', [call, awaits('c1', 'client')]],
  ['a wait that names another call first', [call, awaits('c2', 'client')]],
  [
    'a wait for the client with a message',
    [
      call,
      { type: 'awaiting', pending_tool_use_id: 'c1', pending: [{ tool_use_id: 'c1', kind: 'client', message: 'm' }] },
    ],
  ],
  ['a wait without entries', [call, { type: 'awaiting', pending_tool_use_id: 'c1' }]],
  ['a wait for an approval', [asked, awaits('c1', 'approval')]],
  ['a wait for nobody', [awaits(null)]],
  ['a call of the client', [call]],
  ['a message', [{ type: 'assistant_message', id: 'm1', content: [{ type: 'text', text: 'a' }] }]],
  ['a thought', [{ type: 'assistant_thinking', message_id: 'm1', text: 'a', signature: 's' }]],
  ['a model call', [{ type: 'inference_completed', model: 'agent', usage: { prompt_tokens: 1 }, duration_ms: 1 }]],
])('%s comes back exactly if the fidelity says so, and not if it does not', (_name, facts) => {
  const last = facts.at(-1)
  const kept = last && fateOf(fidelity, last).kept
  expect(comesBack(...facts)).toBe(kept === 'exact')
})
