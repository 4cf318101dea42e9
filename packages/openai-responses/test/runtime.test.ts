import { type ClientTool, type Delta, type Fact, type Message, textOf } from '@factwire/core'
import { agent, type Model, type Tool } from '@factwire/runtime'
import { readSse } from '@factwire/sse'
import type { OpenAI } from 'openai'
import { expect, test } from 'vitest'
import { history, openaiResponses, type ResponsesFrame } from '../src/index.ts'
import { added, body, called, created, done, ended, said, text } from './streams.ts'

/** A model that is asked through this wire: what a host writes. */
const model: Model<ResponsesFrame> = {
  wire: openaiResponses,
  messages: readSse,
  request: ({ messages, tools }) => ({
    url: 'http://provider.test/v1/responses',
    headers: { authorization: 'Bearer none' },
    body: {
      model: 'm-1',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      input: history({ messages }),
      ...(tools.length > 0 ? { tools: tools.map(functionTool) } : {}),
    } satisfies OpenAI.Responses.ResponseCreateParams,
  }),
}

function functionTool({ name, description, parameters }: ClientTool): OpenAI.Responses.FunctionTool {
  return {
    type: 'function',
    name,
    description: description ?? null,
    parameters: { ...(parameters as object) },
    strict: false,
  }
}

const lookUp: Tool = {
  name: 'look_up',
  description: 'how it is in a city',
  parameters: { type: 'object' },
  run: (input) => `4 degrees in ${(input as { city: string }).city}`,
}

const thinking = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'hm' }],
  encrypted_content: 'sealed',
}
const calling = called('call_a', '{"city":"Oslo"}')
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }

interface Ran {
  readonly facts: readonly Fact[]
  readonly deltas: readonly Delta[]
  readonly asked: readonly { readonly input: readonly object[]; readonly tools?: readonly object[] }[]
}

async function run(replies: readonly (string | Response)[], clientTools: readonly ClientTool[] = []): Promise<Ran> {
  const asked: Ran['asked'][number][] = []
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const reply = replies[asked.length] ?? ''
    asked.push(JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as Ran['asked'][number])
    return typeof reply === 'string' ? new Response(reply, { headers: { 'content-type': 'text/event-stream' } }) : reply
  }
  const facts: Fact[] = []
  const deltas: Delta[] = []
  const go: Message = { id: 'u1', role: 'user', content: [{ type: 'text', text: 'Go.' }] }
  const clock = { now: () => 0, after: () => () => undefined }
  const { over } = agent({ model, fetch, clock, tools: [lookUp], limits: { retries: 0 } }).run({
    threadId: 't',
    runId: 'r',
    messages: [go],
    clientTools,
    thread: { messages: [], standing: { openCalls: [] } },
    output: {
      write({ events }) {
        for (const told of events) {
          if (told.tier === 'fact') facts.push(told.event)
          else deltas.push(told.event)
        }
      },
    },
  })
  await over
  return { facts, deltas, asked }
}

test('an agent asks its model through this wire, runs a tool, and asks again with the result', async () => {
  const first = body(
    created,
    added(0, { id: 'rs_1', type: 'reasoning', summary: [] }),
    done(0, thinking),
    added(1, { ...calling, arguments: '', status: 'in_progress' }),
    {
      type: 'response.function_call_arguments.delta',
      output_index: 1,
      item_id: 'fc_call_a',
      delta: '{"city":"Oslo"}',
    },
    done(1, calling),
    ended('completed', { usage, output: [thinking, calling] }),
  )
  const second = body(
    created,
    text(0, 'It is '),
    text(0, 'cold.'),
    done(0, said('msg_0', 'It is cold.')),
    ended('completed', { usage }),
  )
  const { facts, asked } = await run([first, second])
  expect(facts.flatMap((fact) => (fact.type === 'tool_result' ? [textOf(fact.content)] : []))).toEqual([
    '4 degrees in Oslo',
  ])
  expect(facts.flatMap((fact) => (fact.type === 'assistant_message' ? [textOf(fact.content)] : []))).toEqual([
    'It is cold.',
  ])
  expect(facts.at(-1)).toMatchObject({ type: 'run_finished', cause: { type: 'natural_end' } })
  expect(asked[0]).toMatchObject({
    input: [{ role: 'user', content: 'Go.' }],
    tools: [{ type: 'function', name: 'look_up' }],
  })
  expect(asked[1]?.input).toEqual([
    { type: 'message', role: 'user', content: 'Go.' },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'sealed' },
    { type: 'function_call', call_id: 'call_a', name: 'look_up', arguments: '{"city":"Oslo"}' },
    { type: 'function_call_output', call_id: 'call_a', output: '4 degrees in Oslo' },
  ])
})

test('a call of the client’s tool makes the run wait', async () => {
  const choose = called('call_c', '{"from":["red"]}', { name: 'choose' })
  const { facts } = await run([body(created, done(0, choose), ended('completed'))], [{ name: 'choose' }])
  expect(facts.at(-1)).toMatchObject({ type: 'awaiting', pending: [{ tool_use_id: 'call_c', kind: 'client' }] })
})

test('what the provider says of itself is why the run fails', async () => {
  const failure = { error: { message: 'no such model', type: 'invalid_request_error', code: 'model_not_found' } }
  const refused = await run([Response.json(failure, { status: 404 })])
  expect(refused.facts.at(-1)).toMatchObject({
    type: 'run_failed',
    message: expect.stringContaining('no such model') as string,
  })
  const broken = await run([
    body(created, ended('failed', { error: { code: 'server_error', message: 'out of order' } })),
  ])
  expect(broken.facts.at(-1)).toMatchObject({
    type: 'run_failed',
    message: expect.stringContaining('out of order') as string,
  })
})

test('the texts of two messages of one answer have a blank line between, where they are shown as where they are kept', async () => {
  const two = { type: 'message', role: 'assistant', content: [] }
  const answer = body(
    created,
    added(0, { ...two, id: 'msg_0' }),
    text(0, 'Let me '),
    text(0, 'see.'),
    done(0, said('msg_0', 'Let me see.')),
    added(1, { ...two, id: 'msg_1' }),
    text(1, 'It is '),
    text(1, 'cold.'),
    done(1, said('msg_1', 'It is cold.')),
    ended('completed'),
  )
  const { facts, deltas } = await run([answer])
  const shown = deltas.flatMap((delta) => (delta.type === 'text_delta' ? [delta] : []))
  expect(facts.flatMap((fact) => (fact.type === 'assistant_message' ? [textOf(fact.content)] : []))).toEqual([
    'Let me see.\n\nIt is cold.',
  ])
  expect(shown.map(({ delta, offset }) => [delta, offset])).toEqual([
    ['Let me ', 0],
    ['see.', 7],
    ['\n\nIt is ', 11],
    ['cold.', 19],
  ])
  expect(new Set(shown.map(({ message_id }) => message_id)).size).toBe(1)
})

test('what the provider would do itself, if somebody agreed, is done by nobody, and is no answer', async () => {
  // It has the name of a tool that is here: that is another one.
  const asks = {
    id: 'mcpr_1',
    type: 'mcp_approval_request',
    name: 'look_up',
    arguments: '{"city":"Oslo"}',
    server_label: 'far',
  }
  const { facts, deltas, asked } = await run([
    body(created, text(0, 'May I?'), done(0, said('msg_0', 'May I?')), done(1, asks), ended('completed')),
  ])
  expect(asked).toHaveLength(1)
  expect(facts.map(({ type }) => type)).toEqual(['run_started', 'assistant_message', 'step_ended', 'run_failed'])
  expect(facts.at(-1)).toMatchObject({ code: 'approval_unsupported' })
  expect(deltas.filter(({ type }) => type === 'tool_call_delta')).toEqual([])
})
