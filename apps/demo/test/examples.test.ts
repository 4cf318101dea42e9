import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { agUi } from '@factwire/ag-ui'
import { type AgentEvent, type Commit, type Committed, type Fact, decode, fold } from '@factwire/core'
import { type ChatRequest, openaiChat } from '@factwire/openai-chat'
import { createHub, memoryStore } from '@factwire/hub'
import { memoryJournal } from '@factwire/runtime'
import { type FlatEvent, type View, parseFlat, readSse, reduce } from '@factwire/sse'
import { EventSource } from 'eventsource'
import { afterEach, expect, test, vi } from 'vitest'
import { watch } from '../../examples/src/watch.ts'
import { call, answer as reply, provider as scripted, providerServer, words } from '../../provider/src/index.ts'
import { agent } from '../src/examples/agent.ts'
import { answer } from '../src/examples/answer.ts'
import { answer as answerAs, assistant } from '../src/examples/assistant.ts'
import { ask, forward } from '../src/examples/ask.ts'
import { completions } from '../src/examples/completions.ts'
import { endpoint } from '../src/examples/endpoint.ts'
import { follow } from '../src/examples/follow.ts'
import { begin as asks, hubServer } from '../src/examples/hub-node.ts'
import { begin, cancel, events } from '../src/examples/hub.ts'
import { server } from '../src/examples/server.ts'
import { listen, shut } from '../src/loopback.ts'
import { provider } from '../src/provider.ts'

afterEach(() => void vi.unstubAllGlobals())

async function view(response: Response): Promise<View> {
  const events: FlatEvent[] = []
  for await (const { data } of readSse(response)) {
    const event = parseFlat(JSON.parse(data))
    if (event) events.push(event)
  }
  return reduce(events)
}

async function* tokens(...given: readonly string[]): AsyncGenerator<string> {
  yield* given
}

async function* breaking(): AsyncGenerator<string> {
  yield 'Hel'
  throw new Error('connection reset')
}

async function factsOf(events: AsyncIterable<AgentEvent>): Promise<Fact[]> {
  const facts: Fact[] = []
  for await (const { tier, event } of events) if (tier === 'fact') facts.push(event)
  return facts
}

// ── The pages ──

test.each([
  ['README.md', ['answer.ts']],
  ['packages/core/README.md', ['agent.ts']],
  ['packages/sse/README.md', ['server.ts', '../../../examples/src/watch.ts']],
  ['packages/ag-ui/README.md', ['endpoint.ts']],
  ['packages/openai-chat/README.md', ['ask.ts', 'completions.ts']],
  [
    'packages/anthropic-messages/README.md',
    ['messages.ts', 'messages-web.ts', 'messages-node.ts', 'claude.ts'].map((name) => `../../../examples/src/${name}`),
  ],
  ['packages/hub/README.md', ['hub.ts']],
  ['packages/runtime/README.md', ['assistant.ts']],
  ['docs/behind-a-hub.md', ['hub-node.ts', 'follow.ts']],
])('%s shows its examples as they stand here, and no other', (path, names) => {
  const readme = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const shown = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code)
  expect(shown).toEqual(names.map((name) => readFileSync(new URL(`../src/examples/${name}`, import.meta.url), 'utf8')))
})

// ── answer ──

test('the answer is the whole text', async () => {
  const { status, turns, response } = await view(answer(tokens('Hel', 'lo')))
  expect(status).toBe('finished')
  expect(turns.map(({ text }) => text)).toEqual(['Hello'])
  expect(response).toBe('Hello')
})

test('a model that breaks off is no success', async () => {
  const { status, error } = await view(answer(breaking()))
  expect(status).toBe('failed')
  expect(error?.code).toBe('stream_failed')
})

// ── agent ──

test('the agent stores what becomes true before anybody hears of it', async () => {
  const log: string[] = []
  const store = async (commit: Commit): Promise<void> => {
    await new Promise(setImmediate)
    for (const { id } of commit.messages) log.push(`stored ${id}`)
    if (commit.state.type === 'ended') log.push(`stored ${commit.state.cause.type}`)
  }
  for await (const { tier, event } of agent('r', tokens('Let me ', 'look.'), store)) {
    if (tier === 'fact' && 'id' in event) log.push(event.type)
    if (event.type === 'run_finished') log.push(event.type)
  }
  expect(log).toEqual([
    expect.stringMatching(/^stored /),
    'assistant_message',
    'tool_call',
    expect.stringMatching(/^stored /),
    'tool_result',
    'stored natural_end',
    'run_finished',
  ])
})

test('the agent stores how it failed', async () => {
  const stored: Commit[] = []
  const facts = await factsOf(agent('r', breaking(), async (commit) => void stored.push(commit)))
  expect(facts.at(-1)).toMatchObject({ type: 'run_failed', code: 'model_failed' })
  expect(stored.at(-1)).toMatchObject({ messages: [{ content: [{ text: 'Hel' }] }], state: { type: 'ended' } })
})

// ── server and page ──

/** What the page shows last, and what became of its connections. */
async function watched(serving: Server): Promise<{ readonly last: View; readonly states: readonly number[] }> {
  const sources: EventSource[] = []
  class Noted extends EventSource {
    constructor(url: string | URL) {
      super(url)
      sources.push(this)
    }
  }
  vi.stubGlobal('EventSource', Noted)
  try {
    const url = await listen(serving)
    const last = await new Promise<View>((resolve) => {
      watch(url, (shown, over) => {
        if (over) resolve(shown)
      })
    })
    await new Promise(setImmediate)
    return { last, states: sources.map(({ readyState }) => readyState) }
  } finally {
    shut(serving)
  }
}

test('the page shows what the server says, and leaves at the end', async () => {
  const { last, states } = await watched(server((runId) => agent(runId, tokens('Let me ', 'look.'), async () => {})))
  expect(last).toMatchObject({ status: 'finished', turns: [{ text: 'Let me look.', calls: [{ name: 'weather' }] }] })
  expect(states).toEqual([EventSource.CLOSED])
})

test('the page leaves when the connection breaks, and does not call that a success', async () => {
  const breaks = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"event_type":"text_delta","delta":"Hel"}\n\n', () => response.destroy())
  })
  const { last, states } = await watched(breaks)
  expect(last).toMatchObject({ status: 'running', turns: [{ text: 'Hel' }] })
  expect(states).toEqual([EventSource.CLOSED])
})

// ── endpoint ──

test('the endpoint answers an AG-UI client', async () => {
  const body = {
    threadId: 't',
    runId: 'r',
    state: {},
    messages: [{ id: 'u', role: 'user', content: 'Does it rain?' }],
    tools: [],
    context: [],
    forwardedProps: {},
  }
  const request = new Request('http://localhost', { method: 'POST', body: JSON.stringify(body) })
  const response = await endpoint(request, ({ runId }) => agent(runId, tokens('Yes.'), async () => {}))
  const facts = await factsOf(decode(agUi, readSse(response)))
  expect(facts).toContainEqual(
    expect.objectContaining({ type: 'assistant_message', content: [{ type: 'text', text: 'Yes.' }] }),
  )
  expect(facts.at(-1)?.type).toBe('run_finished')
})

test.each(['{', '{"messages":7}'])('the endpoint refuses %j', async (body) => {
  const response = await endpoint(new Request('http://localhost', { method: 'POST', body }), () => {
    throw new Error('no run was asked for')
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'bad_request' })
})

// ── ask ──

test('what a provider answers comes as events, and goes on to a chat client', async () => {
  const model = provider()
  try {
    const url = `${await listen(model)}/v1/chat/completions`
    const facts = await factsOf(ask(url, 'The weather?'))
    expect(facts.map(({ type }) => type)).toContain('tool_call')
    expect(facts.at(-1)?.type).toBe('awaiting')
    expect(await forward(url, 'The weather?').text()).toMatch(/data: \[DONE\]\n\n$/)
    const cut = await factsOf(ask(`${url}?cut`, 'The weather?'))
    expect(cut.at(-1)).toMatchObject({ type: 'run_failed', code: 'stream_failed' })
  } finally {
    shut(model)
  }
})

// ── completions ──

const asked = (stream: boolean): ChatRequest =>
  openaiChat.request({ model: 'm', stream, messages: [{ role: 'user', content: 'Hi' }] })

test('a chat client gets a stream, or the whole answer', async () => {
  const events = (): AsyncIterable<AgentEvent> => agent('r', tokens('Hel', 'lo'), async () => {})
  const streamed = await completions(asked(true), events(), 'r')
  expect(streamed.headers.get('content-type')).toMatch('text/event-stream')
  expect(await streamed.text()).toMatch(/"content":"Hel"[\s\S]*data: \[DONE\]\n\n$/)
  const whole = await completions(asked(false), events(), 'r')
  expect(whole.status).toBe(200)
  expect(await whole.json()).toMatchObject({
    object: 'chat.completion',
    model: 'm',
    choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  })
})

test('a whole answer that failed is an error', async () => {
  const failed = await completions(
    asked(false),
    agent('r', breaking(), async () => {}),
    'r',
  )
  expect(failed.status).toBe(500)
  expect(failed.headers.get('x-should-retry')).toBe('false')
  expect(await failed.json()).toMatchObject({ error: { code: 'model_failed' } })
})

test('a whole answer whose source breaks is an error, and does not say why', async () => {
  async function* broken(): AsyncGenerator<AgentEvent> {
    yield { tier: 'fact', event: { type: 'run_started' } }
    throw new Error('secret')
  }
  const failed = await completions(asked(false), broken(), 'r')
  expect(failed.status).toBe(500)
  expect(await failed.text()).toMatch(/"error"(?!.*secret)/)
})

// ── hub ──

const asking = (lastEventId?: string): Request =>
  new Request('http://localhost/', lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } })

test('a run of a hub goes on whoever reads, and who comes back gets the rest', async () => {
  const runId = await begin(tokens('Hel', 'lo'))
  const [one, other] = await Promise.all([events(runId, asking()), events(runId, asking())])
  const text = await one.text()
  expect(await other.text()).toContain('run_finish')
  const rest = await (await events(runId, asking('1'))).text()
  expect(rest).not.toBe('')
  expect(text.endsWith(rest)).toBe(true)
  const last = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ''
  expect((await events(runId, asking(last))).status).toBe(204)
})

test('a run of a hub whose model breaks off has failed for every reader', async () => {
  const response = await events(await begin(breaking()), asking())
  expect((await view(response)).error).toMatchObject({ code: 'model_failed' })
})

test('a run of a hub that is cancelled ends so for every reader, and its model is asked for no more', async () => {
  let over = false
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) {
        yield 'on and '
        await new Promise(setImmediate)
      }
    } finally {
      over = true
    }
  }
  const runId = await begin(endless())
  const response = await events(runId, asking())
  expect(await cancel(runId)).toBe(true)
  expect(await view(response)).toMatchObject({ termination: { type: 'cancelled' } })
  expect(over).toBe(true)
  expect(await cancel(runId)).toBe(false)
})

// ── assistant ──

test('the assistant looks freely, asks before it removes, and goes on from its store', async () => {
  const [list, remove] = [call(0, 'c1', 'list_files', '{}'), call(0, 'c2', 'remove_file', '{"path":"a.txt"}')]
  const scene = [[reply('tool_calls', list)], [reply('tool_calls', remove)], [words('It is gone.')]]
  const api = providerServer(scripted({ 'm-large': scene }))
  const agent = assistant(await listen(api), 'key', memoryJournal())
  let thread: Committed = { messages: [], standing: { openCalls: [] } }
  const store = async (commit: Commit): Promise<void> => {
    const { after } = fold(commit, thread.standing)
    thread = { messages: [...thread.messages, ...commit.messages], standing: after, pending: commit.pending ?? [] }
  }
  const nothing = { stream: true, messages: [], decisions: [], tools: [] }
  const asked = { id: 'm', role: 'user', content: [{ type: 'text', text: 'Remove a.txt.' }] } as const
  const first = await view(answerAs(agent, { ...nothing, messages: [asked] }, thread, store))
  expect(first.status).toBe('suspended')
  const second = await view(
    answerAs(agent, { ...nothing, decisions: [{ tool_use_id: 'c2', approved: true }] }, thread, store),
  )
  shut(api)
  expect(second.response).toBe('It is gone.')
  expect(JSON.stringify(thread.messages)).toContain('removed {\\"path\\":\\"a.txt\\"}')
})

// ── Behind a hub ──

test('a page that was cut off while it was asked comes back, answers, and sees the run go on in the same stream', async () => {
  vi.stubGlobal('EventSource', EventSource)
  const hub = createHub({ store: memoryStore(), owner: 'here' })
  const served = hubServer(hub)
  const sockets = new Set<Socket>()
  served.on('connection', (socket) => sockets.add(socket))
  const url = await listen(served)
  const runId = await asks(hub)
  const seen: View[] = []
  const source = follow(`${url}/runs/${runId}`, (state) => seen.push(state))
  let asked = 0
  source.addEventListener('open', () => asked++)
  try {
    await vi.waitFor(() => expect(seen.at(-1)?.status).toBe('suspended'), { timeout: 10_000 })
    for (const socket of sockets) socket.destroy()
    await vi.waitFor(() => expect(asked).toBe(2), { timeout: 30_000 })
    const said = (): Promise<Response> => fetch(`${url}/runs/${runId}`, { method: 'POST', body: 'Oslo' })
    expect((await said()).status).toBe(204)
    await vi.waitFor(() => expect(source.readyState).toBe(EventSource.CLOSED), { timeout: 10_000 })
    const { status, turns } = seen.at(-1) ?? {}
    expect(status).toBe('finished')
    expect(turns?.map(({ text }) => text)).toEqual(['It rains in Oslo.'])
    expect((await said()).status).toBe(409)
  } finally {
    source.close()
    shut(served)
    await hub.close()
  }
}, 60_000)
