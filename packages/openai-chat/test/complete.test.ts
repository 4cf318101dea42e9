import { type EndCause, type Fact, type Pending, type RunContext, transcode } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyRun, CLIENT_TOOL, units } from '@factwire/conformance'
import { complete, type CompleteOptions } from '../src/complete.ts'
import { framing } from '../src/framing.ts'
import type { OpenAiChatOptions } from '../src/options.ts'
import { transcoder } from '../src/transcoder.ts'
import { type ClientView, readFinal, readWhole } from './client.ts'
import { data, outcomeOf } from './streams.ts'

const run: RunContext = { threadId: 't', runId: 'r', model: 'm', startedAt: 1_700_000_000_999 }
const started: Fact = { type: 'run_started' }
const ended: Fact = { type: 'run_finished', exhausted: false }

const says = (text: string): Fact => ({ type: 'assistant_message', id: text, content: [{ type: 'text', text }] })
const calls = (id: string, disposition: 'executed' | 'pending_client' | 'pending_builtin'): Fact => ({
  type: 'tool_call',
  id,
  name: 'search',
  input: { q: id },
  disposition,
})
const result = (id: string): Fact => ({ type: 'tool_result', id, content: [], is_error: false })
const awaits = (...pending: readonly Pending[]): Fact => ({
  type: 'awaiting',
  pending_tool_use_id: pending[0]?.tool_use_id ?? null,
  pending,
})
const used = (prompt: number, completion: number): Fact => ({
  type: 'inference_completed',
  model: 'm',
  usage: { prompt_tokens: prompt, completion_tokens: completion },
  duration_ms: 1,
})

function choice(facts: readonly Fact[], options: CompleteOptions = {}): unknown {
  const body = complete([started, ...facts], run, options)
  return 'error' in body ? body : body.choices[0]
}

test('writes the whole body', () => {
  expect(complete([started, says('hello'), used(3, 4), ended], run)).toEqual({
    id: 'chatcmpl-r',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'hello', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  })
})

test('puts a blank line between the texts of messages and sums what they cost', () => {
  const body = complete(
    [started, says('a'), used(1, 2), calls('c', 'executed'), result('c'), says('b'), used(3, 4), ended],
    run,
  )
  expect(body).toMatchObject({
    choices: [{ message: { content: 'a\n\nb' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 },
  })
  expect(body).not.toHaveProperty('choices[0].message.tool_calls')
})

test('puts no blank line around a message without text', () => {
  expect(choice([says('a'), says(''), says('b'), ended])).toMatchObject({ message: { content: 'a\n\nb' } })
})

test('has no usage where no model told any', () => {
  expect(
    complete([started, { type: 'inference_completed', model: 'm', duration_ms: 1 }, ended], run),
  ).not.toHaveProperty('usage')
})

test('names a model even where the run does not', () => {
  const { model: _, ...nameless } = run
  expect(complete([started, used(1, 1), ended], nameless)).toMatchObject({ model: 'm' })
  expect(complete([started, ended], { threadId: 't', runId: 'r' })).toMatchObject({ model: 'agent', created: 0 })
})

test('asks only for the calls that the client has to run', () => {
  const client: Pending = { tool_use_id: 'b', kind: 'client' }
  const facts = [calls('a', 'executed'), calls('b', 'pending_client'), result('a'), awaits(client)]
  expect(choice(facts)).toEqual({
    index: 0,
    message: {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id: 'b', type: 'function', function: { name: 'search', arguments: '{"q":"b"}' } }],
    },
    logprobs: null,
    finish_reason: 'tool_calls',
  })
})

test('asks again for a call of an earlier segment', () => {
  const block = { type: 'tool_use', id: 'b', name: 'ask', input: { q: 1 }, raw_input: '{"q": 1}' } as const
  const history = [{ id: 'm1', role: 'assistant' as const, content: [block] }]
  expect(complete([started, awaits({ tool_use_id: 'b', kind: 'client' })], { ...run, history })).toMatchObject({
    choices: [{ message: { tool_calls: [{ id: 'b', function: { name: 'ask', arguments: '{"q": 1}' } }] } }],
  })
})

test('offers no call that nobody knows, because it has no name', () => {
  const unknown = awaits({ tool_use_id: 'x', kind: 'client' })
  expect(choice([unknown])).toMatchObject({ error: { code: 'awaiting_unsupported' } })
  expect(choice([calls('a', 'pending_client'), unknown])).toMatchObject({ error: { code: 'awaiting_unsupported' } })
})

test('asks for no call that was answered, unless it is made again', () => {
  const made = calls('a', 'pending_client')
  expect(choice([made, result('a'), awaits()])).toMatchObject({ error: { code: 'awaiting_unsupported' } })
  // The id stands for the first call, so the second has its own.
  expect(choice([made, result('a'), made, awaits({ tool_use_id: 'a', kind: 'client' })])).toMatchObject({
    message: { tool_calls: [{ id: 'a-2' }] },
  })
})

test('shows no call of a run that ended', () => {
  expect(choice([calls('a', 'pending_client'), ended])).toMatchObject({
    message: { content: '' },
    finish_reason: 'stop',
  })
  expect(choice([calls('a', 'pending_client'), ended])).not.toHaveProperty('message.tool_calls')
})

test.each<[string, EndCause]>([
  ['stop', { type: 'natural_end' }],
  ['content_filter', { type: 'blocked', reason: 'refusal' }],
  ['content_filter', { type: 'blocked', reason: 'content_filter' }],
  ['length', { type: 'max_steps' }],
])('finishes with %s after %o', (reason, cause) => {
  const end: Fact = { type: 'run_finished', exhausted: cause.type === 'max_steps', cause }
  expect(choice([says('a'), end])).toMatchObject({ message: { content: 'a' }, finish_reason: reason })
})

test('gives the error body for a run that somebody has ended, because it is no answer', () => {
  const end: Fact = { type: 'run_finished', exhausted: false, cause: { type: 'cancelled' } }
  expect(choice([says('a'), end])).toMatchObject({ error: { code: 'cancelled', type: 'server_error' } })
})

test('gives the error body for a run that failed, and for one without an end', () => {
  const failed: Fact = { type: 'run_failed', code: 'lost', message: 'gone' }
  expect(choice([says('a'), failed])).toEqual({
    error: { message: 'gone', type: 'server_error', param: null, code: 'lost' },
  })
  expect(choice([says('a')])).toMatchObject({ error: { code: 'stream_failed' } })
  expect(complete([says('a'), ended], run)).toMatchObject({ error: { code: 'stream_failed' } })
})

test('counts nothing before the start or after the end', () => {
  expect(complete([says('early'), started, says('a'), ended], run)).toMatchObject({
    choices: [{ message: { content: 'a' } }],
  })
  expect(choice([says('a'), ended, says('b'), { type: 'run_failed', code: 'c', message: 'm' }])).toMatchObject({
    message: { content: 'a' },
  })
})

test('refuses an approval unless the client has a tool for it', () => {
  const pending: Pending = { tool_use_id: 'a', kind: 'approval', approval_id: 'p1', message: 'may I?', parameters: [1] }
  const facts = [calls('a', 'pending_builtin'), awaits(pending)]
  expect(choice(facts)).toMatchObject({ error: { code: 'approval_unsupported' } })
  const args = '{"tool_call_id":"a","tool":"search","arguments":{"q":"a"},"message":"may I?","parameters":[1]}'
  expect(choice(facts, { approvalTool: 'approve' })).toMatchObject({
    message: { tool_calls: [{ id: 'p1', function: { name: 'approve', arguments: args } }] },
    finish_reason: 'tool_calls',
  })
  // Without additions the fact names nobody.
  expect(choice([calls('a', 'pending_builtin'), awaits()])).toMatchObject({ error: { code: 'approval_unsupported' } })
})

test('gives reasoning in the field that was asked for', () => {
  const facts: readonly Fact[] = [{ type: 'assistant_thinking', text: 'hm' }, says('a'), ended]
  expect(choice(facts, { reasoning: 'reasoning_content' })).toMatchObject({ message: { reasoning_content: 'hm' } })
  expect(JSON.stringify(choice(facts))).not.toContain('hm')
})

const options: OpenAiChatOptions & CompleteOptions = {
  clientTools: [CLIENT_TOOL],
  includeUsage: true,
  approvalTool: 'approve',
}

test('leaves the client with the view that the stream leaves it with', async () => {
  const prop = fc.asyncProperty(anyRun(), async (generated) => {
    const events = units(generated)
      .flat()
      .filter(({ tier }) => tier === 'fact')
    let stream = ''
    const protocol = { name: 'openai-chat', framing, resume: 'none' as const, transcoder }
    for await (const piece of transcode(protocol, events, generated.run, { transcoder: options })) stream += piece
    const facts = events.map(({ event }) => event as Fact)
    const body = complete(facts, generated.run, options)
    const whole = await readWhole(body, { status: 'error' in body ? 500 : 200 })
    expect(endOf(whole)).toEqual(endOf(await readFinal(stream)))
  })
  await fc.assert(prop, { seed: 1, numRuns: 150 })
})

/** What counts at the end: of a failure only the failure, whose message has the status before it where there was one. */
function endOf({ text, toolCalls, finish, usage, error, warnings }: ClientView): object {
  if (error) return { message: error.message.replace(/^500 /, ''), code: error.code, warnings }
  return { text, toolCalls, finish, usage: usage ?? NO_USAGE, warnings }
}

/** A stream has to say something where usage was asked for. */
const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

test('is read back by the decoder', async () => {
  const facts: readonly Fact[] = [
    started,
    says('a'),
    used(3, 4),
    calls('c1', 'pending_client'),
    awaits({ tool_use_id: 'c1', kind: 'client' }),
  ]
  expect(await outcomeOf(data(complete(facts, run)))).toMatchObject({
    text: 'a',
    calls: [{ id: 'c1', name: 'search', input: { q: 'c1' }, executable: true }],
    finish: 'tool_calls',
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  })
})
