import { decodeChunks } from '@factwire/conformance'
import { equalJson, type Fact, fateOf, type Json, textOf } from '@factwire/core'
import { expect, test } from 'vitest'
import { fidelity, framing, openaiResponses, transcoder } from '../src/index.ts'

const started: Fact = { type: 'run_started' }
const call: Fact = {
  type: 'tool_call',
  id: 'c1',
  name: 'ask',
  input: 1,
  disposition: 'pending_client',
  message_id: 'm',
}
const asked: Fact = { ...call, disposition: 'pending_builtin' }

/** Whether the last fact comes back as it was. */
function comesBack(...facts: Fact[]): boolean {
  const target = transcoder({ threadId: 't', runId: 'r' })
  const frames = [...[started, ...facts].flatMap((fact) => target.fact(fact)), ...target.settled(), ...target.close()]
  const body = frames.map((frame) => framing.text(frame)).join('')
  const events = decodeChunks(openaiResponses, [new TextEncoder().encode(body)])
  return events.some(({ event }) => equalJson(event as unknown as Json, facts.at(-1) as unknown as Json))
}

const finished = (more: object): Fact => ({ type: 'run_finished', exhausted: false, ...more })
const failed = (code: string, message: string): Fact => ({ type: 'run_failed', code, message })
const awaits = (id: string | null, ...kinds: readonly ('client' | 'approval')[]): Fact => ({
  type: 'awaiting',
  pending_tool_use_id: id,
  pending: kinds.map((kind) => ({ tool_use_id: 'c1', kind })),
})
const says = (...texts: string[]): Fact => ({
  type: 'assistant_message',
  id: 'm',
  content: texts.map((text) => ({ type: 'text', text })),
})

test.each<[string, readonly Fact[]]>([
  ['a text', [says('Hi.')]],
  ['a text of two blocks', [says('Hi.', ' So.')]],
  ['a natural end', [finished({ cause: { type: 'natural_end' } })]],
  ['a cancel', [finished({ cause: { type: 'cancelled' } })]],
  ['an answer that was too long', [finished({ exhausted: true, cause: { type: 'max_steps', code: 'length' } })]],
  ['steps that are used up', [finished({ exhausted: true, cause: { type: 'max_steps' } })]],
  ['a filter', [finished({ cause: { type: 'blocked', reason: 'content_filter' } })]],
  ['a policy', [finished({ cause: { type: 'blocked', reason: 'policy' } })]],
  ['a result', [finished({ cause: { type: 'natural_end' }, result: 7 })]],
  ['a failure', [failed('Rate.Limited', 'slow down')]],
  ['a failure without words', [failed('x', '')]],
  ['a wait for the client', [call, awaits('c1', 'client')]],
  ['a wait for an approval', [asked, awaits('c1', 'approval')]],
  ['a wait for nobody', [awaits(null)]],
])('%s is kept as the fidelity says', (_what, facts) => {
  const [last] = facts.slice(-1)
  if (!last) throw new Error('nothing')
  expect(comesBack(...facts)).toBe(fateOf(fidelity, last).kept === 'exact')
})

test('what is lossy arrives without what it loses', () => {
  const target = transcoder({ threadId: 't', runId: 'r' })
  const made: Fact = {
    type: 'tool_call',
    id: 'c1',
    name: 'ask',
    input: { a: 1 },
    disposition: 'executed',
    message_id: 'm',
  }
  const result: Fact = {
    type: 'tool_result',
    id: 'c1',
    content: [{ type: 'text', text: 'x' }],
    is_error: true,
    data: 7,
  }
  const frames = [started, made, result, finished({ cause: { type: 'natural_end' } })].flatMap((fact) =>
    target.fact(fact),
  )
  const body = frames.map((frame) => framing.text(frame)).join('')
  const facts = decodeChunks(openaiResponses, [new TextEncoder().encode(body)]).map(({ event }) => event)
  expect(facts.find(({ type }) => type === 'tool_call')).toMatchObject({ id: 'mcp_c1', name: 'ask', input: { a: 1 } })
  const told = facts.find((fact) => fact.type === 'tool_result')
  expect(told && [told.id, textOf(told.content), told.is_error, told.data]).toEqual(['mcp_c1', 'x', true, undefined])
})
