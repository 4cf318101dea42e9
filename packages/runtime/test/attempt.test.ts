import {
  answer,
  call,
  cut,
  done,
  error,
  finish,
  hang,
  inProcess,
  type Move,
  provider,
  raw,
  type Reply,
  refusal,
  role,
  type Scene,
  send,
  stream,
  text,
  thought,
  words,
} from '@factwire/provider'
import { expect, test } from 'vitest'
import type { AgentOptions } from '../src/index.ts'
import { CHOOSE, modelOf, outline, RUN, said, world, type World } from './agent.ts'
import { patiently, turns } from './clock.ts'
import { type MemoryStore, memoryStore } from './store.ts'

interface Asked extends World {
  readonly store: MemoryStore
  readonly signals: readonly AbortSignal[]
  readonly over: Promise<unknown>
}

function asking(replies: readonly Reply[], options: Partial<AgentOptions> = {}, scene: Scene = [replies]): Asked {
  const played = provider({ scene })
  const plain = inProcess(played)
  const signals: AbortSignal[] = []
  const fetch: typeof globalThis.fetch = (url, init) => {
    if (init?.signal) signals.push(init.signal)
    return plain(url, init)
  }
  const made = world('scene', { fetch, ...options })
  const store = memoryStore()
  const { over } = made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store })
  return { ...made, provider: played, store, signals, over }
}

const told = ({ store }: Asked): readonly string[] => outline(store.thread().messages).slice(1)
const failure = ({ store }: Asked): unknown => store.facts().at(-1)

test('behind the end mark nothing is waited for, and the connection is let go', async () => {
  const made = asking([stream(send(role(), text('Hello.'), finish('stop')), done, hang)])
  await turns()
  expect(await made.over).toEqual({ type: 'ended', cause: { type: 'natural_end' } })
  expect(made.signals.map(({ aborted }) => aborted)).toEqual([true])
})

test('bytes of any kind are no silence, but the whole has a time', async () => {
  const alive: Move[] = Array.from({ length: 20 }, () => [
    raw(': still here\n\n'),
    { type: 'wait', milliseconds: 50_000 } as const,
  ]).flat()
  const played = provider({ scene: [[stream(...alive), words('Here.')]] })
  const made = world('scene')
  const wait = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => void made.clock.after(milliseconds, resolve))
  const { agent } = world('scene', { fetch: inProcess(played, { wait }), clock: made.clock })
  const store = memoryStore()
  const before = made.clock.now()
  await patiently(
    made.clock,
    agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store }).over,
  )
  expect(outline(store.thread().messages)).toEqual(['user: Go.', 'assistant: Here.'])
  expect(made.clock.now() - before).toBeGreaterThanOrEqual(600_000)
  expect(made.clock.now() - before).toBeLessThan(660_000)
})

test('silence ends an attempt after its time', async () => {
  const made = asking([stream(send(role(), text('Once ')), hang), words('more.')])
  await turns()
  expect(made.clock.due).toBe(60_000)
  made.clock.next()
  await turns()
  // After a silence nobody waits long.
  expect(made.clock.due).toBe(200)
  made.clock.next()
  await made.over
  expect(told(made)).toEqual(['assistant: Once more.'])
})

test('a slow output is no silence of the provider', async () => {
  const store = memoryStore()
  let release = (): void => undefined
  let count = 0
  const made = world('text')
  const output = {
    async write(written: Parameters<MemoryStore['write']>[0]) {
      if (count++ === 2) await new Promise<void>((resolve) => (release = resolve))
      await store.write(written)
    },
  }
  const { over } = made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output })
  await turns()
  // Only the whole call has a time now.
  expect(made.clock.due).toBe(600_000)
  release()
  await over
  expect(outline(store.thread().messages)).toContain('assistant: Hello 🌍.')
})

test('a provider that wants to be left alone for a time is', async () => {
  const made = asking([refusal(429, 'rate_limit_exceeded', 'slow down', { 'retry-after': '7' }), words('Here.')])
  await turns()
  expect(made.clock.due).toBe(7000)
  await patiently(made.clock, made.over)
  expect(told(made)).toEqual(['assistant: Here.'])
})

test('one that wants too long a time fails the run', async () => {
  const made = asking([refusal(429, 'rate_limit_exceeded', 'slow down', { 'retry-after': '3600' })])
  await turns()
  await made.over
  expect(failure(made)).toMatchObject({ type: 'run_failed', code: 'rate_limited', message: 'HTTP 429: slow down' })
})

test('waits between attempts double', async () => {
  const made = asking([refusal(500, 'server_error', 'oops')], { limits: { retries: 3 } })
  const waits: unknown[] = []
  for (let attempt = 0; attempt < 3; attempt++) {
    await turns()
    waits.push(made.clock.due)
    made.clock.next()
  }
  await patiently(made.clock, made.over)
  expect(waits).toEqual([500, 1000, 2000])
  expect(made.provider.requests).toHaveLength(4)
})

test('a provider that cannot be reached is told as such', async () => {
  const fetch = async (): Promise<never> => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  }
  const made = asking([], { fetch })
  await patiently(made.clock, made.over)
  expect(failure(made)).toMatchObject({ code: 'unreachable', message: 'fetch failed: connect ECONNREFUSED' })
})

test('a request that the host cannot make fails the run, and not the process', async () => {
  const { agent } = world('text', {
    model: modelThatThrows(),
  })
  const store = memoryStore()
  expect(await agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store }).over).toEqual({
    type: 'ended',
    cause: { type: 'error', failure: { code: 'runtime_failed', message: 'no key' } },
  })
})

test('where text is not continued it is taken back, and asked for again under another id', async () => {
  const made = asking([stream(send(role(), text('Once ')), cut), words('Twice.')], { limits: { continueText: false } })
  await patiently(made.clock, made.over)
  expect(told(made)).toEqual(['assistant: Twice.'])
  expect(made.store.events.map(({ event }) => event.type)).toContain('stream_reset')
  expect(made.store.thread().messages.at(-1)?.id).toBe('run-1-assistant-0-retry-1')
  expect(made.provider.requests[1]?.messages).toHaveLength(1)
})

test('the model is told which call was lost, and the thread is not', async () => {
  const made = world('cut-after-call')
  const store = memoryStore()
  await patiently(
    made.clock,
    made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store }).over,
  )
  expect(made.provider.requests[1]?.messages?.at(-1)).toMatchObject({
    role: 'user',
    content: expect.stringContaining('a call of remove, which was not made'),
  })
  expect(outline(store.thread().messages).join()).not.toContain('which was not made')
  expect(store.events).toContainEqual({
    tier: 'delta',
    event: { type: 'tool_call_cancelled', id: 'call_r', name: 'remove', reason: 'connection reset' },
  })
})

test('what one answer costs, and how long it took, is told once', async () => {
  const made = world('parallel-tools')
  const store = memoryStore()
  await patiently(
    made.clock,
    made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store }).over,
  )
  const costs = store.facts().filter(({ type }) => type === 'inference_completed')
  expect(costs).toHaveLength(2)
  expect(costs[0]).toMatchObject({ model: 'scripted-1', usage: { total_tokens: 17 } })
})

test('a request says how often it was tried, for a host that goes to another model', async () => {
  const attempts: number[] = []
  const { model } = hostOf('server-error', attempts)
  const made = world('server-error', { model })
  const store = memoryStore()
  await patiently(
    made.clock,
    made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store }).over,
  )
  expect(attempts).toEqual([0, 1, 2])
})

test('what was thought before text that broke off is thought of the whole', async () => {
  const broken = stream(send(role(), thought('First. '), text('Once ')), cut)
  const made = asking([broken, answer('stop', thought('Then.'), text('more.'))])
  await patiently(made.clock, made.over)
  expect(told(made)).toEqual(['assistant thinks: First. ', 'assistant thinks: Then.', 'assistant: Once more.'])
})

test.each(['1', '"Oslo"', '', '[]', '{"a":1', 'null'])(
  'a call with the arguments %s is not known to be whole',
  async (args) => {
    const broken = stream(send(role(), call(0, 'call_a', 'now', args)), cut)
    const made = asking([broken, words('Never mind.')])
    await patiently(made.clock, made.over)
    expect(told(made)).toEqual(['assistant: Never mind.'])
    expect(made.trace).toEqual([])
  },
)

test('options of the wire reach its decoder', async () => {
  const model = { ...modelOf('scene'), decoder: { thinkTags: 'split' } }
  const made = asking([words('<think>Hm.</think>', 'Yes.')], { model })
  await patiently(made.clock, made.over)
  expect(told(made)).toEqual(['assistant thinks: Hm.', 'assistant: Yes.'])
})

function hostOf(scene: string, attempts: number[]): Pick<AgentOptions, 'model'> {
  const model = modelOf(scene)
  return { model: { ...model, request: (asked) => (attempts.push(asked.attempt), model.request(asked)) } }
}

function modelThatThrows(): AgentOptions['model'] {
  return {
    ...modelOf('text'),
    request() {
      throw new Error('no key')
    },
  }
}

test.each([
  ['cut by length', [answer('length', text('Which?'), call(0, 'call_c', 'choose', '{}'))]],
  ['filtered', [answer('content_filter', text('Which?'), call(0, 'call_c', 'choose', '{}'))]],
  [
    'refused',
    [stream(send(role(), text('Which?'), call(0, 'call_c', 'choose', '{}'), error('invalid_request_error', 'no')))],
  ],
])('a call of the client in an answer that was %s is taken back: nobody asks for it', async (_how, replies) => {
  const made = world('scene', { fetch: inProcess(provider({ scene: [replies] })) })
  const store = memoryStore()
  const options = { ...RUN, thread: store.thread(), messages: [said('Go.')], clientTools: [CHOOSE], output: store }
  await patiently(made.clock, made.agent.run(options).over)
  expect(outline(store.thread().messages)).toEqual(['user: Go.', 'assistant: Which?'])
  const taken = store.events.flatMap(({ event }) => (event.type === 'tool_call_cancelled' ? [event.id] : []))
  expect(taken).toEqual(['call_c'])
})
