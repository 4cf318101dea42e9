import { HttpAgent } from '@ag-ui/client'
import { EventSource } from 'eventsource'
import { type FlatEvent, isTerminal, parseFlat, reduce, type View } from '@factwire/sse'
import { OpenAI } from 'openai'
import { OpenAI as OpenAI6 } from 'openai-6'
import { expect, test } from 'vitest'
import { go, started, type Started } from './world.ts'

const CHOOSE = {
  type: 'function',
  function: { name: 'choose', description: 'asks the user', parameters: { type: 'object', properties: {} } },
} as const
const USER = { role: 'user', content: 'Go.' } as const

const clientOf = ({ url }: Started, Client: typeof OpenAI = OpenAI): OpenAI =>
  new Client({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })

/** Both majors have the same face, as far as it is used here. */
const majors = [
  ['7', OpenAI],
  ['6', OpenAI6 as unknown as typeof OpenAI],
] as const

// ── openai ──

test.each(majors)('openai %s streams a text, with its usage', async (_major, Client) => {
  const stream = clientOf(await started(), Client).chat.completions.stream({
    model: 'text',
    messages: [USER],
    stream_options: { include_usage: true },
  })
  const { choices, usage } = await stream.finalChatCompletion()
  expect(choices[0]?.message.content).toBe('Hello 🌍.')
  expect(usage?.total_tokens).toBe(17)
})

test.each(majors)('openai %s gets a whole answer, after tools of the server', async (_major, Client) => {
  const client = clientOf(await started(), Client)
  const { choices } = await client.chat.completions.create({ model: 'parallel-tools', messages: [USER] })
  expect(choices[0]?.message.content).toBe('Let me see.\n\nIt is done.')
  expect(choices[0]?.message.tool_calls).toBeUndefined()
})

test.each(majors)('openai %s runs its own tool, and the answer finds the run again', async (_major, Client) => {
  const gateway = await started()
  const asked: string[] = []
  const runner = clientOf(gateway, Client).chat.completions.runTools({
    model: 'client-tool',
    stream: true,
    messages: [USER],
    tools: [
      {
        type: 'function',
        function: {
          ...CHOOSE.function,
          parse: JSON.parse,
          function: (input: object) => {
            asked.push(JSON.stringify(input))
            return 'red'
          },
        },
      },
    ],
  })
  expect(await runner.finalContent()).toBe('It is done.')
  expect(asked).toEqual(['{"of":["red","blue"]}'])
  const { items } = (await (await gateway.get('/v1/runs')).json()) as { items: readonly { status: string }[] }
  expect(items.map(({ status }) => status)).toEqual(['ended'])
})

test.each(majors)('openai %s lets somebody approve, and is told nothing twice', async (_major, Client) => {
  const gateway = await started()
  const client = clientOf(gateway, Client)
  const tools = [{ type: 'function', function: { ...CHOOSE.function, name: 'approve' } }] as const
  const first = await client.chat.completions
    .stream({ model: 'approval', messages: [USER], tools: [...tools] })
    .finalChatCompletion()
  const said = first.choices[0]?.message
  const call = said?.tool_calls?.[0]
  const second = await client.chat.completions
    .stream({
      model: 'approval',
      tools: [...tools],
      messages: [
        USER,
        { role: 'assistant', content: said?.content ?? null, tool_calls: call ? [call] : [] },
        { role: 'tool', tool_call_id: call?.id ?? '', content: 'true' },
      ],
    })
    .finalChatCompletion()
  expect([said?.content, second.choices[0]?.message.content]).toEqual(['I will remove it.', 'It is done.'])
  expect(await runsOf(gateway)).toMatchObject([{ status: 'ended' }])
})

test('a run that fails is an error of the openai SDK, and is not asked for again', async () => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${(await started()).url}/v1`, maxRetries: 2 })
  await expect(client.chat.completions.create({ model: 'unauthorized', messages: [USER] })).rejects.toMatchObject({
    status: 500,
    code: 'unauthorized',
  })
  await expect(client.chat.completions.create({ model: 'nobody', messages: [USER] })).rejects.toMatchObject({
    status: 404,
    code: 'model_not_found',
  })
})

test('a chat client that leaves ends its run', async () => {
  const gateway = await started({ pace: 30 })
  const stream = await clientOf(gateway).chat.completions.create({
    model: 'parallel-tools',
    messages: [USER],
    stream: true,
  })
  for await (const _chunk of stream) break
  await expect.poll(async () => (await runsOf(gateway))[0]).toMatchObject({ cause: { type: 'cancelled' } })
})

test('a chat client that leaves before its whole answer is there ends its run', async () => {
  const gateway = await started({ pace: 30 })
  const { signal, abort } = leaving()
  const asked = clientOf(gateway).chat.completions.create({ model: 'silent-text', messages: [USER] }, { signal })
  await expect.poll(async () => (await runsOf(gateway)).length).toBe(1)
  abort()
  await expect(asked).rejects.toThrow('aborted')
  await expect.poll(async () => (await runsOf(gateway))[0]).toMatchObject({ cause: { type: 'cancelled' } })
})

test.each(majors)('openai %s lets somebody approve, by a tool that asks', async (_major, Client) => {
  const gateway = await started()
  const questions: string[] = []
  const runner = clientOf(gateway, Client).chat.completions.runTools({
    model: 'approval',
    stream: true,
    messages: [USER],
    tools: [
      {
        type: 'function',
        function: {
          name: 'approve',
          description: 'asks the user whether a call may be made',
          parameters: { type: 'object', properties: {} },
          parse: JSON.parse,
          function: (question: { readonly message?: string }) => {
            questions.push(question.message ?? '')
            return { approved: true }
          },
        },
      },
    ],
  })
  expect(await runner.finalContent()).toBe('It is done.')
  expect(questions).toEqual(['Remove /tmp/x?'])
  expect(await runsOf(gateway)).toHaveLength(1)
})

test('without such a tool a run that needs approval is an error that says so', async () => {
  const client = clientOf(await started())
  await expect(client.chat.completions.create({ model: 'approval', messages: [USER] })).rejects.toMatchObject({
    code: 'approval_unsupported',
  })
})

// ── AG-UI ──

test('HttpAgent has a text, and goes on with its thread', async () => {
  const { url } = await started()
  const agent = new HttpAgent({ url: `${url}/v1/ag-ui`, threadId: 'thread-1' })
  agent.addMessage({ id: 'user-1', role: 'user', content: 'Go.' })
  await agent.runAgent({ runId: 'run-1', forwardedProps: { model: 'text' } })
  agent.addMessage({ id: 'user-2', role: 'user', content: 'Again.' })
  await agent.runAgent({ runId: 'run-2', forwardedProps: { model: 'parallel-tools' } })
  const said = agent.messages.map(({ role, content }) => [role, content])
  expect(said[1]).toEqual(['assistant', 'Hello 🌍.'])
  expect(said.at(-1)).toEqual(['assistant', 'It is done.'])
  expect(said.filter(([role]) => role === 'user')).toHaveLength(2)
  expect(said.filter(([role]) => role === 'tool')).toHaveLength(2)
})

test('HttpAgent lets somebody approve, and the tool runs once', async () => {
  const gateway = await started()
  const agent = new HttpAgent({ url: `${gateway.url}/v1/ag-ui`, threadId: 'thread-1' })
  agent.addMessage({ id: 'user-1', role: 'user', content: 'Go.' })
  await agent.runAgent({ forwardedProps: { model: 'approval' } })
  const [interrupt] = agent.pendingInterrupts
  expect(interrupt?.message).toBe('Remove /tmp/x?')
  await agent.runAgent({
    resume: [{ interruptId: interrupt?.id ?? '', status: 'resolved', payload: { approved: true } }],
  })
  expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'It is done.' })
  expect(agent.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual(['removed /tmp/x'])
})

test('HttpAgent answers for its own tool, and has its answer once', async () => {
  const gateway = await started()
  const agent = new HttpAgent({ url: `${gateway.url}/v1/ag-ui`, threadId: 'thread-1' })
  agent.addMessage({ id: 'user-1', role: 'user', content: 'Go.' })
  const { name, description, parameters } = CHOOSE.function
  const tools = [{ name, description, parameters }]
  await agent.runAgent({ tools, forwardedProps: { model: 'client-tool' } })
  const call = agent.messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))[0]
  agent.addMessage({ id: 'chosen', role: 'tool', toolCallId: call?.id ?? '', content: 'red' })
  await agent.runAgent({ tools })
  expect(agent.messages.map(({ id, role }) => [role, role === 'tool' ? id : ''])).toEqual([
    ['user', ''],
    ['assistant', ''],
    ['tool', 'chosen'],
    ['assistant', ''],
  ])
  expect(await runsOf(gateway)).toHaveLength(1)
})

test('HttpAgent is told of usage, of an error by its code, and of a cancel', async () => {
  const gateway = await started({ pace: 20 })
  const told: unknown[] = []
  const run = async (model: string, runId: string): Promise<void> => {
    const agent = new HttpAgent({ url: `${gateway.url}/v1/ag-ui`, threadId: `thread-of-${model}` })
    agent.addMessage({ id: 'user-1', role: 'user', content: 'Go.' })
    await agent.runAgent(
      { runId, forwardedProps: { model } },
      {
        onRunFinishedEvent: ({ event }) =>
          void told.push([event.outcome?.type ?? 'success', event.usage?.[0]?.outputTokens]),
        onRunErrorEvent: ({ event }) => void told.push(event.code),
      },
    )
  }
  await run('text', 'run-1')
  await run('unauthorized', 'run-2')
  const cancelled = run('silent-text', 'run-3')
  await expect.poll(async () => (await gateway.post('/v1/runs/run-3/cancel', {})).status).toBe(202)
  await cancelled
  expect(told).toEqual([['success', 5], 'unauthorized', ['cancelled', undefined]])
})

test('a client that asks for protobuf by name gets it, and one that takes anything does not', async () => {
  const { post } = await started()
  const input = (runId: string): object => ({
    threadId: runId,
    runId,
    messages: [{ id: 'user-1', role: 'user', content: 'Go.' }],
    tools: [],
    context: [],
    forwardedProps: { model: 'text' },
  })
  const proto = 'application/vnd.ag-ui.event+proto'
  const binary = await post('/v1/ag-ui', input('run-1'), { accept: proto })
  expect(binary.headers.get('content-type')).toBe(proto)
  const { protoFraming } = await import('@factwire/ag-ui/proto')
  const reader = protoFraming.reader()
  const events = reader.push(new Uint8Array(await binary.arrayBuffer()))
  reader.end()
  expect(events.at(0)?.type).toBe('RUN_STARTED')
  expect(events.at(-1)?.type).toBe('RUN_FINISHED')
  const plain = await post('/v1/ag-ui', input('run-2'), { accept: '*/*' })
  expect(plain.headers.get('content-type')).toBe('text/event-stream')
  await plain.text()
})

// ── eventsource ──

test('an EventSource that is cut off in the middle comes back, and has every event once', async () => {
  const gateway = await started({ pace: 20 })
  const begun = await gateway.post('/v1/runs', go('parallel-tools'), { prefer: 'respond-async' })
  expect(begun.status).toBe(202)
  const { run_id } = (await begun.json()) as { run_id: string }
  const view = await watched(`${gateway.url}/v1/runs/${run_id}/events`, 300)
  const turns = [...view.before, ...view.turns].filter(({ role }) => role === 'assistant')
  expect(turns.map(({ text }) => text)).toEqual(['Let me see.', 'It is done.'])
  expect(view.status).toBe('finished')
})

/** What an EventSource ends with whose first connection breaks after so many bytes. */
function watched(url: string, breaks: number): Promise<View> {
  return new Promise((resolve) => {
    const events: FlatEvent[] = []
    let isFirst = true
    const source = new EventSource(url, {
      async fetch(input, init) {
        const response = await fetch(input, init)
        if (!isFirst || !response.body) return response
        isFirst = false
        return new Response(response.body.pipeThrough(breakingAfter(breaks)), response)
      },
    })
    source.addEventListener('message', ({ data }) => {
      const event = parseFlat(JSON.parse(data))
      if (event) events.push(event)
      if (!event || !isTerminal(event)) return
      source.close()
      resolve(reduce(events))
    })
  })
}

function breakingAfter(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes
  return new TransformStream({
    transform(piece, controller) {
      controller.enqueue(piece.subarray(0, left))
      left -= piece.length
      if (left <= 0) controller.error(new TypeError('terminated'))
    },
  })
}

function leaving(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

interface Listed {
  readonly run_id: string
  readonly thread_id: string
  readonly status: string
  readonly cause?: { readonly type: string }
}

async function runsOf({ get }: Started): Promise<readonly Listed[]> {
  return ((await (await get('/v1/runs')).json()) as { readonly items: readonly Listed[] }).items
}
