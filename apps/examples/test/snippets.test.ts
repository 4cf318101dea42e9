import { createServer } from 'node:http'
import { agUi } from '@factwire/ag-ui'
import {
  type AgentEvent,
  type Commit,
  type Committed,
  type Delta,
  type Fact,
  runWriter,
  type Message,
  type Standing,
  fold,
} from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { formatSseDataWithId, readSse, respond, sse } from '@factwire/sse'
import { OpenAI } from 'openai'
import { expect, test, vi } from 'vitest'
import { listen, shut } from '../../demo/src/loopback.ts'
import { askFirst, goOn } from '../src/pages/approval.ts'
import { events as awakenEvents, forward } from '../src/pages/awaken.ts'
import { readBody, readStream } from '../src/pages/bounds.ts'
import { answer } from '../src/pages/failing.ts'
import { factsOf } from '../src/pages/fold.ts'
import { handWritten } from '../src/pages/hand-written.ts'
import { join, type LiveRun } from '../src/pages/join.ts'
import { whileWatched } from '../src/pages/leaving.ts'
import { moved } from '../src/pages/moved.ts'
import { askAgent } from './agent-client.ts'
import { serving, viewOf, web } from './serving.ts'

// Servers and clients take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })
const PATIENCE = { timeout: 30_000 }

const run = { threadId: 'thread-1', runId: 'run-1' }
const asked: Message = { id: 'question', role: 'user', content: [{ type: 'text', text: 'Remove it.' }] }

async function all(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const given: AgentEvent[] = []
  for await (const event of events) given.push(event)
  return given
}

const factsIn = (events: readonly AgentEvent[]): Fact[] =>
  events.flatMap(({ tier, event }) => (tier === 'fact' ? [event] : []))

// ── Two tiers ──

test('the commits of a run give its facts, each time', () => {
  const writer = runWriter(run)
  const written = [
    writer.text('Hel'),
    writer.text('lo'),
    writer.toolCall('c', 'look', '{}'),
    writer.toolResult('c', 'x'),
    writer.end(),
  ]
  const commits = written.flatMap(({ commit }) => (commit ? [commit] : []))
  const facts = written.flatMap(({ events }) => factsIn(events))
  expect(facts.length).toBeGreaterThan(4)
  expect(factsOf(commits)).toEqual(facts)
  expect(factsOf(commits)).toEqual(factsOf(commits))
})

// ── Producer ──

test.each([
  ['yes', { status: 'resolved', payload: true }, { is_error: false, content: [{ text: 'removed' }] }, 'Done.'],
  ['no', { status: 'resolved', payload: false }, { is_error: true, denied: true }, 'Then it stays.'],
  ['perhaps', { status: 'resolved', payload: 'perhaps' }, { is_error: true, denied: true }, 'Then it stays.'],
])('an approval that is answered by %s', async (_name, said, result, text) => {
  const commits: Commit[] = []
  const store = async (commit: Commit): Promise<void> => void commits.push(commit)
  const thread = (): Message[] => [asked, ...commits.flatMap(({ messages }) => messages)]

  const first = await all(askFirst('run-1', [asked], store))
  expect(await viewOf(respond(sse, first, run))).toMatchObject({
    status: 'suspended',
    turns: [{ calls: [{ name: 'remove', status: 'suspended' }] }],
  })

  const resume = [{ interruptId: 'call-1', ...said }]
  const body = {
    ...run,
    messages: [{ id: 'question', role: 'user', content: 'Remove it.' }],
    tools: [],
    context: [],
    resume,
  }
  const known = new Set(thread().map(({ id }) => id))
  const { decisions } = agUi.request(body, { known, open: commits.at(-1)?.pending ?? [] })
  const second = factsIn(await all(goOn('run-1', thread(), decisions, store)))
  expect(second[0]?.type).toBe('run_started')
  expect(second.find(({ type }) => type === 'tool_result')).toMatchObject(result)
  expect(second.find(({ type }) => type === 'assistant_message')).toMatchObject({ content: [{ text }] })
  expect(second.at(-1)?.type).toBe('run_finished')
})

test('a call id that comes twice is another before its first delta, and what comes after the end gives nothing', () => {
  const { toolCall, toolResult, end, text } = runWriter(run)
  toolCall('c', 'look', '{}')
  toolResult('c', '1')
  expect(toolCall('c', 'look', '{}').events[1]).toMatchObject({ event: { type: 'tool_call_delta', id: 'c-2' } })
  expect(end({ type: 'cancelled' }).commit?.messages.at(-1)).toMatchObject({
    content: [{ is_error: true, cancelled: true }],
  })
  expect(text('late')).toEqual({ events: [] })
})

// ── Coming late ──

/** A live run as a publisher keeps it, stopped before each of its events. */
function* moments(): Generator<LiveRun> {
  const writer = runWriter({ runId: 'run-1', history: [asked] })
  const steps = [
    () => writer.text('Let me '),
    () => writer.text('look.'),
    () => writer.toolCall('c', 'look', '{"at":1}'),
    () => writer.commit(),
    () => writer.toolResult('c', 'a cat'),
    () => writer.text('It is '),
    () => writer.text('a cat.'),
    () => writer.end(),
  ]
  const written = steps.map((step) => step())
  let committed: Committed = { messages: [asked], standing: { openCalls: [] } }
  let open: readonly Delta[] = []
  let count = 0
  const whole = written.flatMap(({ events }) => events)
  for (const { events, commit } of written) {
    if (count > 0)
      yield { context: { ...run, history: [asked] }, committed, open, count, follow: () => from(whole.slice(count)) }
    if (commit) {
      const standing: Standing = fold(commit, committed.standing).after
      committed = { messages: [...committed.messages, ...commit.messages], standing }
      open = []
    }
    open = [...open, ...events.flatMap(({ tier, event }) => (tier === 'delta' ? [event] : []))]
    count += events.length
  }
}

async function* from(events: readonly AgentEvent[]): AsyncGenerator<AgentEvent> {
  yield* events
}

test('whoever comes late sees the same, on the SSE wire', async () => {
  let tried = 0
  for (const moment of moments()) {
    const text = await join(sse, moment).text()
    const first = /^id: (\d+)$/m.exec(text)?.[1]
    expect(Number(first)).toBeGreaterThanOrEqual(moment.count)
    const { status, before, turns } = await viewOf(new Response(text))
    const said = [...before, ...turns].flatMap((turn) => (turn.role === 'assistant' ? [turn.text] : []))
    expect(said).toEqual(['Let me look.', 'It is a cat.'])
    expect(status).toBe('finished')
    tried++
  }
  expect(tried).toBeGreaterThan(5)
})

test('whoever comes late sees the same, in the official AG-UI client', async () => {
  for (const moment of moments()) {
    const { said, warnings, failure } = await serving(
      web(() => join(agUi, moment)),
      (url) => askAgent(url, 'Remove it.'),
    )
    expect({ said, warnings, failure }).toEqual({
      said: ['Let me look.', 'a cat', 'It is a cat.'],
      warnings: [],
      failure: undefined,
    })
  }
})

test('whoever comes late gets the whole answer, in the official chat client', async () => {
  for (const moment of moments()) {
    const answered = await serving(
      web(() => join(openaiChat, moment)),
      (url) => {
        const client = new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 })
        return client.chat.completions.stream({ model: 'x', messages: [] }).finalChatCompletion()
      },
    )
    expect(answered.choices[0]?.message.content).toBe('Let me look.\n\nIt is a cat.')
  }
})

// ── Clients that leave ──

test('a source that is closed by its reader cleans up', async () => {
  let cleaned = false
  async function* busy(): AsyncGenerator<AgentEvent> {
    try {
      for (;;) yield* runWriter(run).text('x'.repeat(5000)).events
    } finally {
      cleaned = true
    }
  }
  const reader = whileWatched(busy, run).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  await vi.waitFor(() => expect(cleaned).toBe(true), PATIENCE)
})

test('a reader that does not read stops its source', async () => {
  let given = 0
  async function* endless(): AsyncGenerator<AgentEvent> {
    const writer = runWriter(run)
    for (;;) {
      given++
      yield* writer.text('x'.repeat(100)).events
    }
  }
  const { body } = respond(sse, endless(), run)
  const settled = async (): Promise<number> => {
    let before: number
    do {
      before = given
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    } while (given !== before)
    return given
  }
  const first = await settled()
  expect(first * 100).toBeLessThan(5 * 4096)
  await body?.getReader().read()
  expect(await settled()).toBeGreaterThan(first)
})

test('a model that is silent is stopped when its only reader leaves', async () => {
  let stopped = false
  async function* silent(signal: AbortSignal): AsyncGenerator<AgentEvent> {
    yield* runWriter(run).text('Hm').events
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    stopped = true
  }
  const reader = whileWatched(silent, run).body?.getReader()
  await reader?.read()
  expect(stopped).toBe(false)
  await reader?.cancel()
  await vi.waitFor(() => expect(stopped).toBe(true), PATIENCE)
})

// ── Errors ──

async function* calling(): AsyncGenerator<AgentEvent> {
  const { toolCall, toolResult, text, end } = runWriter(run)
  yield* toolCall('c', 'look', '{}').events
  yield* toolResult('c', 'a cat').events
  yield* text('A cat.').events
  yield* end().events
}

test('what a wire loses is told, or refused', async () => {
  const told: string[] = []
  expect(await answer(calling(), run, (what) => told.push(what), false).text()).toMatch(/\[DONE\]\n\n$/)
  expect(told).toContain('tool_call is dropped')
  const refused = await answer(calling(), run, () => undefined, true).text()
  expect(refused).toContain('loss_refused')
  expect(refused).not.toContain('[DONE]')
})

// ── Bounds ──

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

test('what is too long or too deep is refused', async () => {
  expect(readBody(nested(32))).toBeDefined()
  expect(() => readBody(nested(33))).toThrow('JSON nests deeper than 32 levels')
  expect(() => readBody(`"${'x'.repeat(100_000)}"`)).toThrow('at most 100000 allowed')
  const long = `data: ${'x'.repeat(1024 * 1024 + 1)}\n\n`
  expect(factsIn(await all(readStream(new Response(long)))).at(-1)).toMatchObject({
    type: 'run_failed',
    code: 'stream_failed',
  })
})

test('no text breaks out of its frame, and no key reaches a prototype', async () => {
  const text = 'a\r\n\r\ndata: {"evil":1}\n\n\u2028\u2029\u0085'
  const { events } = runWriter(run).text(text)
  const body = await respond(sse, events, run).text()
  expect(body).not.toMatch(/[\r\u2028\u2029\u0085]/)
  const messages: unknown[] = []
  for await (const { data } of readSse(new Response(body))) messages.push(JSON.parse(data))
  expect(messages).toContainEqual({ event_type: 'text_delta', delta: text })
  expect(messages).not.toContainEqual({ evil: 1 })
  expect(() => formatSseDataWithId('{}', '1\n2')).toThrow('an id has no CR, LF or NUL')
  const parsed = readBody('{"__proto__":{"admin":true}}')
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
})

// ── Moving ──

async function* tokens(...given: readonly string[]): AsyncGenerator<string> {
  yield* given
}

async function* breaking(): AsyncGenerator<string> {
  yield 'Hel'
  throw new Error('the model is gone')
}

test('the moved server says when the model broke off, which the hand-written one never does', async () => {
  const broken: unknown[] = []
  const server = createServer((request, response) => {
    const work = request.url === '/old' ? handWritten(breaking(), response) : moved(breaking(), response, 'run-1')
    work.catch((error: unknown) => broken.push(error))
  })
  try {
    const url = await listen(server)
    expect(await viewOf(await fetch(`${url}/new`))).toMatchObject({
      status: 'failed',
      error: { code: 'stream_failed' },
    })
    expect(broken).toEqual([])
    const leaving = new AbortController()
    const old = await fetch(`${url}/old`, { signal: leaving.signal })
    expect(old.status).toBe(200)
    await vi.waitFor(() => expect(broken).toHaveLength(1), PATIENCE)
    leaving.abort()
  } finally {
    shut(server)
  }
})

test('the moved server says what the hand-written one says', async () => {
  const said = await serving(
    (_request, response) => void moved(tokens('Hel', 'lo'), response, 'run-1'),
    async (url) => viewOf(await fetch(url)),
  )
  expect(said).toMatchObject({ status: 'finished', response: 'Hello' })
  const old = await serving(
    (_request, response) => void handWritten(tokens('Hel', 'lo'), response),
    async (url) => (await fetch(url)).text(),
  )
  expect(old).toBe('data: {"type":"text","text":"Hel"}\n\ndata: {"type":"text","text":"lo"}\n\ndata: [DONE]\n\n')
})

// ── Awaken 0.6 ──

const DONE =
  '{"event_type":"tool_call_done","id":"c1","message_id":"","result":{"tool_name":"sum","status":"success","data":{"total":3},"message":null},"outcome":"succeeded"}'
const AWAKEN = [
  '{"event_type":"run_start","thread_id":"th-7","run_id":"ru-1"}',
  '{"event_type":"step_start","message_id":"0197-aa"}',
  '{"event_type":"text_delta","delta":"Let me "}',
  '{"event_type":"text_delta","delta":"see."}',
  '{"event_type":"tool_call_start","id":"c1","name":"sum"}',
  '{"event_type":"tool_call_delta","id":"c1","args_delta":"{\\"a\\":1,\\"b\\":2}"}',
  '{"event_type":"tool_call_ready","id":"c1","name":"sum","arguments":{"a":1,"b":2}}',
  '{"event_type":"inference_complete","model":"m-large","usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17},"duration_ms":840}',
  DONE,
  '{"event_type":"state_snapshot","snapshot":{"revision":4}}',
  '{"event_type":"step_end"}',
]
const FINISH = '{"event_type":"run_finish","thread_id":"th-7","run_id":"ru-1","termination":{"type":"natural_end"}}'
const ROUNDS = FINISH.replace('{"type":"natural_end"}', '{"type":"stopped","value":{"code":"max_rounds"}}')
const framed = (lines: readonly string[]): Response =>
  new Response(`: heartbeat\n\n${lines.map((line) => `data: ${line}\n\n`).join('')}`)

test('a stream of Awaken 0.6 is read as it is', async () => {
  const facts = factsIn(await all(awakenEvents(framed([...AWAKEN, FINISH]))))
  expect(facts.map(({ type }) => type)).toEqual([
    'run_started',
    'assistant_message',
    'tool_call',
    'inference_completed',
    'tool_result',
    'state_snapshot',
    'step_ended',
    'run_finished',
  ])
  const result = facts.find((fact) => fact.type === 'tool_result')
  expect(result?.message_id).toBeTruthy()
})

test('one that ends without its end is a failed run, and one that used up its rounds is exhausted', async () => {
  const cut = factsIn(await all(awakenEvents(framed(AWAKEN))))
  expect(cut.at(-1)).toMatchObject({ type: 'run_failed', code: 'stream_truncated' })
  const exhausted = factsIn(await all(awakenEvents(framed([...AWAKEN, ROUNDS]))))
  expect(exhausted.at(-1)).toMatchObject({ type: 'run_finished', exhausted: true })
})

test('a run that was suspended goes on in the same stream', async () => {
  const suspended = FINISH.replace('natural_end', 'suspended')
  const pending = DONE.replace('"success"', '"pending"').replace('"succeeded"', '"suspended"')
  const first = AWAKEN.map((line) => (line === DONE ? pending : line))
  const again = [AWAKEN[0] ?? '', '{"event_type":"tool_call_resumed","target_id":"c1","result":{"total":3}}', FINISH]
  const facts = factsIn(await all(awakenEvents(framed([...first, suspended, ...again]))))
  const types = facts.map(({ type }) => type)
  expect(types.filter((type) => type === 'run_started')).toHaveLength(2)
  expect(facts.find((fact) => fact.type === 'awaiting')).toMatchObject({ pending_tool_use_id: 'c1' })
  expect(types.slice(-2)).toContain('run_finished')
  expect(types).toContain('tool_result')
})

test('what Awaken streams goes on to the official AG-UI client', async () => {
  const answerTo = (): Response => forward(framed([...AWAKEN, FINISH]), { ...run, history: [asked] })
  const { said, warnings } = await serving(web(answerTo), (url) => askAgent(url, 'Remove it.'))
  expect(warnings).toEqual([])
  expect(said).toContain('Let me see.')
})
