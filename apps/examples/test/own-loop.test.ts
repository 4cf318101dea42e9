import { agUi } from '@factwire/ag-ui'
import { type AgentEvent, type Commit, type Fact, type Json, type Message, decode } from '@factwire/core'
import { history, openaiChat } from '@factwire/openai-chat'
import { readSse, writeTo } from '@factwire/sse'
import { expect, test, vi } from 'vitest'
import { type Job, loop } from '../src/own-loop.ts'
import { askAgent } from './agent-client.ts'
import { serving } from './serving.ts'

// Servers and clients take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const asked: Message = { id: 'question', role: 'user', content: [{ type: 'text', text: 'Does it rain?' }] }

/** A model on the loopback: each request gets the next answer, as bytes. */
const answers = (...bodies: readonly (readonly object[])[]) => {
  const requests: Json[] = []
  let next = 0
  return {
    requests,
    serve: <Result>(work: (model: Job['model']) => Promise<Result>): Promise<Result> =>
      serving(
        (_request, response) => {
          const chunks = bodies[next++ % bodies.length] ?? []
          const text = chunks.map((delta) => `data: ${JSON.stringify({ id: `m${next}`, model: 'tiny', ...delta })}\n\n`)
          response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${text.join('')}data: [DONE]\n\n`)
        },
        (url) =>
          work(async function* (thread) {
            const messages = history({ messages: thread })
            requests.push(JSON.parse(JSON.stringify(messages)) as Json)
            yield* decode(openaiChat, readSse(await fetch(url, { method: 'POST', body: JSON.stringify({ messages }) })))
          }),
      ),
  }
}

const say = (...words: readonly string[]): object[] => [
  ...words.map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
const call = (name: string, args = '{"city":"Zürich"}'): object[] => [
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name, arguments: '' } }] } }] },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: args } }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  { choices: [], usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } },
]

const tools: Job['tools'] = new Map([
  ['weather', async (input: Json) => `dry: ${JSON.stringify(input)}`],
  [
    'broken',
    async () => {
      throw new Error('no network')
    },
  ],
])

const job = (model: Job['model'], more: Partial<Job> = {}): Job => ({
  runId: 'run-1',
  history: [asked],
  model,
  tools,
  maxSteps: 5,
  store: async () => undefined,
  ...more,
})

async function factsOf(events: AsyncIterable<AgentEvent>): Promise<Fact[]> {
  const facts: Fact[] = []
  for await (const { tier, event } of events) if (tier === 'fact') facts.push(event)
  return facts
}

test('asks, runs the tool, tells the model its result, and answers', async () => {
  const model = answers(call('weather'), say('No', ', it is dry.'))
  const reading = await model.serve((ask) =>
    serving(
      (_request, response) => {
        const run = { threadId: 'thread-1', runId: 'run-1', history: [asked] }
        void writeTo(response, agUi, loop(job(ask)), run)
      },
      (url) => askAgent(url, 'Does it rain?'),
    ),
  )
  expect(reading.failure).toBeUndefined()
  expect(reading.warnings).toEqual([])
  expect(reading.said).toEqual(['dry: {"city":"Zürich"}', 'No, it is dry.'])
  expect(model.requests[1]).toEqual([
    { role: 'user', content: 'Does it rain?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: '{"city":"Zürich"}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'dry: {"city":"Zürich"}' },
  ])
})

test('stores everything before it is told', async () => {
  const log: string[] = []
  await answers(call('weather'), say('Dry.')).serve(async (ask) => {
    const store = async ({ messages, state }: Commit): Promise<void> => {
      await new Promise(setImmediate)
      for (const { role } of messages) log.push(`store ${role}`)
      if (state.type === 'ended') log.push('store end')
    }
    for await (const { tier, event } of loop(job(ask, { store }))) if (tier === 'fact') log.push(event.type)
  })
  const order = ['store assistant', 'tool_call', 'store tool', 'tool_result', 'store assistant', 'assistant_message']
  expect(log.filter((line) => order.includes(line))).toEqual(order)
  expect(log.slice(-2)).toEqual(['store end', 'run_finished'])
})

test('two calls of one id in two messages stay apart', async () => {
  const facts = await answers(call('weather'), call('weather'), say('Dry.')).serve((ask) => factsOf(loop(job(ask))))
  const calls = facts.flatMap((fact) => (fact.type === 'tool_call' ? [fact.id] : []))
  expect(new Set(calls).size).toBe(2)
  expect(facts.flatMap((fact) => (fact.type === 'tool_result' ? [fact.id] : []))).toEqual(calls)
})

test.each([
  ['broken', '{}', 'Error: no network'],
  ['unknown', '{}', 'There is no tool unknown.'],
  ['weather', '{"city":', 'The arguments are no JSON.'],
])('a call of %s with %s is an error that the model is told', async (name, args, told) => {
  const facts = await answers(call(name, args), say('Sorry.')).serve((ask) => factsOf(loop(job(ask))))
  expect(facts.find((fact) => fact.type === 'tool_result')).toMatchObject({ is_error: true, content: [{ text: told }] })
  expect(facts.at(-1)?.type).toBe('run_finished')
})

test('a model that never stops calling is stopped', async () => {
  const facts = await answers(call('weather')).serve((ask) => factsOf(loop(job(ask, { maxSteps: 3 }))))
  expect(facts.filter(({ type }) => type === 'tool_call')).toHaveLength(3)
  expect(facts.at(-1)).toMatchObject({ type: 'run_finished', exhausted: true })
})

test('an answer that was cut off by its length says so', async () => {
  const cut = [{ choices: [{ index: 0, delta: { content: 'It' }, finish_reason: 'length' }] }]
  const facts = await answers(cut).serve((ask) => factsOf(loop(job(ask))))
  expect(facts.at(-1)).toMatchObject({ type: 'run_finished', exhausted: true })
})

test('usage of each model call is kept', async () => {
  const facts = await answers(call('weather'), say('Dry.')).serve((ask) => factsOf(loop(job(ask))))
  expect(facts.find((fact) => fact.type === 'inference_completed')).toMatchObject({ usage: { total_tokens: 12 } })
})

test('a model that fails leaves a thread that can be used again', async () => {
  const stored: Commit[] = []
  const store = async (commit: Commit): Promise<void> => void stored.push(commit)
  const refused = [{ error: { message: 'overloaded', code: 'overloaded' } }]
  const facts = await answers(refused).serve((ask) => factsOf(loop(job(ask, { store }))))
  expect(facts.at(-1)).toMatchObject({ type: 'run_failed', code: 'model_failed', message: 'Error: overloaded' })
  expect(stored.at(-1)?.state).toMatchObject({ type: 'ended' })
})
