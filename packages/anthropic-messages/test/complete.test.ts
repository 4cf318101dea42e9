import type { Fact } from '@factwire/core'
import { anyRun, units } from '@factwire/conformance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { complete, error } from '../src/index.ts'
import { CLIENTS, type ClientResult, readFinal, readWhole, told } from './client.ts'
import { bodyOf, play, RUN } from './scene.ts'
import { options } from './subject.ts'

const factsOf = (events: ReturnType<typeof play>): readonly Fact[] =>
  events.flatMap(({ tier, event }) => (tier === 'fact' ? [event] : []))

const seed = 20_261_130
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 200)

const seenIn = ({ content, stopReason, usage, id, model }: ClientResult): object => ({
  content,
  stopReason,
  usage,
  id,
  model,
})

test('a whole answer is what the stream of the same facts comes to', async () => {
  await fc.assert(
    fc.asyncProperty(anyRun(), async (live) => {
      const events = units(live, { reasoning: 'text' })
        .flat()
        .filter(({ tier }) => tier === 'fact')
      const answer = complete(factsOf(events), RUN, options)
      const streamed = await readFinal(bodyOf(events, options))
      const whole =
        answer.type === 'error' ? { code: answer.error.code ?? answer.error.type } : seenIn(await readWhole(answer))
      // As JSON: what was streamed may hold a zero with a sign.
      expect(whole).toEqual(
        streamed.error ? { code: streamed.error.code } : JSON.parse(JSON.stringify(seenIn(streamed))),
      )
    }),
    { seed, numRuns },
  )
}, 600_000)

test.each(CLIENTS.map((kind) => [told(kind), kind] as const))('%s reads a whole answer', async (_name, kind) => {
  const facts = factsOf(
    play((run) => [
      run.reasoning('Hm.', { signature: 's' }),
      run.text('Hi.'),
      run.toolCall('c', 'ask', '{"q": 1}', 'pending_client'),
      run.commit({
        inference: { model: 'm-large', duration_ms: 1, usage: { prompt_tokens: 3, completion_tokens: 4 } },
      }),
      run.await(),
    ]),
  )
  const { content, stopReason, usage, warnings } = await readWhole(complete(facts, RUN), kind)
  expect(warnings).toEqual([])
  expect(content).toEqual([
    { type: 'thinking', thinking: 'Hm.', signature: 's' },
    { type: 'text', text: 'Hi.' },
    { type: 'tool_use', id: 'c', name: 'ask', input: { q: 1 } },
  ])
  expect({ stopReason, usage }).toEqual({ stopReason: 'tool_use', usage: { input_tokens: 3, output_tokens: 4 } })
})

test('the model is the one that answered, where nobody else says it', () => {
  const inference: Fact = { type: 'inference_completed', model: 'm-small', duration_ms: 1 }
  const facts: readonly Fact[] = [{ type: 'run_started' }, inference, { type: 'run_finished', exhausted: false }]
  expect(complete(facts, { threadId: 't', runId: 'r' })).toMatchObject({ model: 'm-small' })
  expect(complete(facts, { threadId: 't', runId: 'r', model: 'asked' })).toMatchObject({ model: 'asked' })
})

test('a run that failed, broke off or never began is the error body', () => {
  const failed = play((run) => [run.end({ type: 'error', failure: { code: 'lost', message: 'gone' } })])
  expect(complete(factsOf(failed), RUN)).toEqual({
    type: 'error',
    error: { type: 'api_error', message: 'gone', code: 'lost' },
  })
  expect(complete([{ type: 'run_started' }], RUN)).toMatchObject({ error: { code: 'stream_failed' } })
  expect(complete([], RUN)).toMatchObject({ error: { code: 'stream_failed' } })
})

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [409, 'invalid_request_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])('an error of status %i is of type %s to every client', async (status, type) => {
  const body = error(status, { code: 'some_code', message: 'why' })
  expect(body).toEqual({ type: 'error', error: { type, message: 'why', code: 'some_code' } })
  for (const kind of CLIENTS) {
    const { error: seen, warnings } = await readWhole(body, { ...kind, status })
    expect(seen).toMatchObject({ status, type, code: 'some_code' })
    expect(warnings).toEqual([])
  }
})

test('a failure without words has some', () => {
  expect(error(500, { code: 'api_error' })).toEqual({
    type: 'error',
    error: { type: 'api_error', message: 'the run failed (api_error)' },
  })
})
