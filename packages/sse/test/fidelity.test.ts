import {
  type AssistantMessage,
  type AssistantThinking,
  type Awaiting,
  type ContentBlock,
  type EndCause,
  equalJson,
  type Fact,
  factEvent,
  fateOf,
  type Json,
  type Pending,
  type RunContext,
  type RunFinished,
  type ToolCallFact,
  type ToolResultFact,
  writer,
} from '@factwire/core'
import { anyJson, anyText, decodeChunks } from '@factwire/conformance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fidelity, sse } from '../src/index.ts'

const run: RunContext = { threadId: 't', runId: 'r' }
const numRuns = 500

/** The facts that a reader gets of a run with these between its start and its end. */
function read(facts: readonly Fact[], end: Fact = { type: 'run_finished', exhausted: false }): Fact[] {
  const { push, close } = writer(sse, run)
  const all: readonly Fact[] = [{ type: 'run_started' }, ...facts, end]
  const body = [...all.map(factEvent).map(push), close()].join('')
  return decodeChunks(sse, [new TextEncoder().encode(body)]).flatMap(({ tier, event }) =>
    tier === 'fact' ? [event] : [],
  )
}

const has = (facts: readonly Fact[], fact: Fact): boolean =>
  facts.some((other) => equalJson(other as unknown as Json, fact as unknown as Json))

/** A fact that a reader gets back and is not called exact, or the other way round. */
function brokenWord<F extends Fact>(facts: fc.Arbitrary<F>, readFact: (fact: F) => Fact[]): F | string | undefined {
  const seen = { back: 0, lost: 0 }
  const property = fc.property(facts, (fact) => {
    const back = has(readFact(fact), fact)
    seen[back ? 'back' : 'lost']++
    return back === (fateOf(fidelity, fact).kept === 'exact')
  })
  const { counterexample } = fc.check(property, { seed: 11, numRuns })
  if (counterexample) return counterexample[0]
  return Math.min(seen.back, seen.lost) < numRuns / 50 ? 'too few of a kind were tried' : undefined
}

/** Fields that are absent, not undefined. */
function record<T>(
  model: { readonly [K in keyof T]-?: fc.Arbitrary<Exclude<T[K], undefined>> },
  required: (keyof T)[],
): fc.Arbitrary<T> {
  return fc.record(model, { requiredKeys: required }) as unknown as fc.Arbitrary<T>
}

const anyTextBlock: fc.Arbitrary<ContentBlock> = fc.record({ type: fc.constant('text' as const), text: anyText })
const image: ContentBlock = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }
const says: AssistantMessage = { type: 'assistant_message', id: 'm', content: [{ type: 'text', text: 'Hi' }] }
const calls: ToolCallFact = {
  type: 'tool_call',
  id: 'c',
  name: 'sum',
  input: {},
  disposition: 'executed',
  message_id: 'm',
}

test('a message comes back if its text is one block', () => {
  const facts = record<AssistantMessage>(
    {
      type: fc.constant('assistant_message'),
      id: fc.constantFrom('m', 'other'),
      content: fc.array(anyTextBlock, { minLength: 1, maxLength: 3 }),
    },
    ['type', 'id', 'content'],
  ).filter(({ content }) => content.some((block) => block.type === 'text' && block.text !== ''))
  expect(brokenWord(facts, (fact) => read([fact]))).toBeUndefined()
})

test('a thought comes back if it has words and no signature', () => {
  const facts = record<AssistantThinking>(
    {
      type: fc.constant('assistant_thinking'),
      message_id: fc.constant('m'),
      text: anyText,
      signature: fc.constant('s'),
      encrypted: fc.constantFrom('e', ''),
    },
    ['type'],
  )
  expect(brokenWord(facts, (fact) => read([fact, says]))).toBeUndefined()
  expect(brokenWord(facts, (fact) => read([fact]))).toBeUndefined()
})

test('a call comes back if nothing but its value counts', () => {
  const facts = record<ToolCallFact>(
    {
      type: fc.constant('tool_call'),
      id: fc.constant('c'),
      name: fc.constantFrom('sum', ''),
      input: anyJson,
      disposition: fc.constant('executed'),
      message_id: fc.constant('m'),
      raw_input: fc.constantFrom('{ }', '{"a'),
    },
    ['type', 'id', 'name', 'input', 'disposition'],
  )
  expect(brokenWord(facts, (fact) => read([fact]))).toBeUndefined()
})

test('whose turn a call is comes too late where another of its message is answered before the run waits', () => {
  const waits: ToolCallFact = { ...calls, disposition: 'pending_client' }
  const other: ToolCallFact = { ...calls, id: 'd' }
  const answer: ToolResultFact = { type: 'tool_result', id: 'd', content: [], is_error: false }
  const end: Awaiting = { type: 'awaiting', pending_tool_use_id: 'c', pending: [{ tool_use_id: 'c', kind: 'client' }] }
  expect(fateOf(fidelity, waits).kept).toBe('lossy')
  expect(has(read([waits, other, answer], end), waits)).toBe(false)
})

test('a result comes back if it is one text or has media, and its data says more than the text', () => {
  const content = fc.array(fc.oneof(anyTextBlock, anyTextBlock, fc.constant(image)), { maxLength: 3 })
  const facts = record<ToolResultFact>(
    {
      type: fc.constant('tool_result'),
      id: fc.constant('c'),
      content,
      is_error: fc.boolean(),
      message_id: fc.constantFrom('tool-1', 'tool-c'),
      name: fc.constant('sum'),
      data: fc.oneof(anyJson, anyText),
      denied: fc.boolean(),
      cancelled: fc.boolean(),
    },
    ['type', 'id', 'content', 'is_error', 'message_id', 'name'],
  )
  expect(brokenWord(facts, (fact) => read([says, calls, fact]))).toBeUndefined()
})

test('a wait comes back if it says for whom, and none of them expires', () => {
  const pending = record<Pending>(
    {
      tool_use_id: fc.constantFrom('c', 'd'),
      kind: fc.constantFrom('client', 'approval'),
      approval_id: fc.constantFrom('perm', 'c', ''),
      message: fc.constantFrom('may I?', ''),
      parameters: fc.oneof(anyJson, fc.constant(null)),
      response_schema: anyJson,
      expires_at: fc.constant('2026-01-01T00:00:00Z'),
    },
    ['tool_use_id', 'kind'],
  )
  const facts = record<Awaiting>(
    {
      type: fc.constant('awaiting'),
      pending_tool_use_id: fc.constantFrom('c', 'd', null),
      pending: fc.array(pending, { maxLength: 2 }),
    },
    ['type', 'pending_tool_use_id'],
  )
  const waitingFor = ({ pending, pending_tool_use_id }: Awaiting): (string | null)[] =>
    pending?.map(({ tool_use_id }) => tool_use_id) ?? [pending_tool_use_id]
  expect(
    brokenWord(facts, (fact) =>
      read(
        ['c', 'd'].map((id): ToolCallFact => {
          const waits = waitingFor(fact).includes(id)
          return { ...calls, id, disposition: waits ? 'pending_client' : 'executed' }
        }),
        fact,
      ),
    ),
  ).toBeUndefined()
})

test('an end comes back if it says why, unless that is a word of this wire', () => {
  const cause: fc.Arbitrary<EndCause> = fc.oneof(
    fc.constantFrom<EndCause>(
      { type: 'natural_end' },
      { type: 'behavior_requested' },
      { type: 'cancelled' },
      { type: 'max_steps' },
      { type: 'max_steps', code: 'length' },
      { type: 'max_steps', code: 'max_rounds' },
      { type: 'stopped', code: 'max_rounds' },
      { type: 'stopped', code: 'length', detail: 'x' },
      { type: 'blocked', reason: '' },
    ),
    anyText.map((code): EndCause => ({ type: 'max_steps', code })),
    fc.record({ type: fc.constant('stopped' as const), code: anyText, detail: anyText }),
  )
  const facts = record<RunFinished>(
    { type: fc.constant('run_finished'), exhausted: fc.boolean(), cause, result: anyJson },
    ['type', 'exhausted'],
  )
  expect(brokenWord(facts, (fact) => read([says], fact))).toBeUndefined()
})

const anyCount = fc.integer({ min: 0, max: 2 ** 31 - 1 })

test.each<[string, fc.Arbitrary<Fact>]>([
  ['run_failed', fc.record({ type: fc.constant('run_failed' as const), code: anyText, message: anyText })],
  ['state_snapshot', fc.record({ type: fc.constant('state_snapshot' as const), snapshot: anyJson })],
  [
    'activity_snapshot',
    fc.record(
      {
        type: fc.constant('activity_snapshot' as const),
        message_id: anyText,
        activity_type: anyText,
        content: anyJson,
        replace: fc.boolean(),
      },
      { requiredKeys: ['type', 'message_id', 'activity_type', 'content'] },
    ),
  ],
  [
    'inference_completed',
    fc.record(
      {
        type: fc.constant('inference_completed' as const),
        model: anyText,
        usage: fc.record({ prompt_tokens: anyCount, thinking_tokens: anyCount }, { requiredKeys: [] }),
        duration_ms: fc.nat(),
      },
      { requiredKeys: ['type', 'model', 'duration_ms'] },
    ),
  ],
])('%s always comes back', (type, facts) => {
  fc.assert(
    fc.property(facts, (fact) => {
      expect(fateOf(fidelity, fact).kept).toBe('exact')
      expect(has(type === 'run_failed' ? read([says], fact) : read([says, fact]), fact)).toBe(true)
    }),
    { seed: 12, numRuns },
  )
})

test('of a step that showed nothing the end does not come back, and a continuation never does', () => {
  const ended: Fact = { type: 'step_ended', message_id: 'm' }
  const continued: Fact = { type: 'continuation', steered: true, detail: null }
  expect(has(read([says, ended]), ended)).toBe(true)
  expect(has(read([ended]), ended)).toBe(false)
  expect(has(read([says, ended, continued]), continued)).toBe(false)
  expect([ended, continued].map((fact) => fateOf(fidelity, fact).kept)).toEqual(['lossy', 'dropped'])
})
