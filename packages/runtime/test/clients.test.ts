import { agUi } from '@factwire/ag-ui'
import { type AgentEvent, type Encodable, endsSegment, type Message, writer } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { provider, providerServer, type SceneName, scenes } from '@factwire/provider'
import { sse } from '@factwire/sse'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientView as agUiView, openClient } from '../../ag-ui/test/client.ts'
import { readFinal } from '../../openai-chat/test/client.ts'
import { clientView as sseView } from '../../sse/test/client.ts'
import { listen, shut } from '../../../apps/demo/src/loopback.ts'
import { agent, type Clock } from '../src/index.ts'
import { CHOOSE, modelOf, no, outline, RUN, said, toolsOf, world, yes } from './agent.ts'
import { patiently } from './clock.ts'
import { memoryStore, type MemoryStore } from './store.ts'

const GO: readonly Message[] = [said('Go.')]
const SCENES = Object.keys(scenes) as SceneName[]

async function played(scene: SceneName): Promise<MemoryStore> {
  const { agent: made, clock } = world(scene, { fold: { reasoning: 'text' } })
  const store = memoryStore()
  const run = made.run({ ...RUN, thread: store.thread(), messages: GO, clientTools: [CHOOSE], output: store })
  await patiently(clock, run.over)
  return store
}

function bodyOf<Frame, Options>(
  wire: Encodable<Frame, Options>,
  events: readonly AgentEvent[],
  options?: Options,
  earlier = GO,
): string {
  const context = { ...RUN, model: 'scripted-1', startedAt: 1_780_000_000_000, history: earlier }
  const { push, close } = writer(wire, context, options === undefined ? {} : { transcoder: options })
  let text = ''
  for (const event of events) {
    text += push(event)
    if (endsSegment(event)) break
  }
  return text + close()
}

test('a client of AG-UI that was shown what is taken back has it no more', async () => {
  const { events } = await played('cut-thought')
  const { messages } = await agUiView([], [])
  expect(messages).toEqual([])
  const live = await openClient([]).read(bodyOf(agUi, events, { reasoning: true }))
  expect(JSON.stringify(live.messages)).not.toContain('Let me think')
})

// ── A run that waits, and goes on ──

/** A run in which somebody says yes to one call, no to another, and chooses; `thread` is what the client has before its second segment. */
async function segments(): Promise<{ first: MemoryStore; second: MemoryStore; thread: readonly Message[] }> {
  const { agent: made, clock } = world('mixed', { fold: { reasoning: 'text' } })
  const first = memoryStore()
  const options = { ...RUN, clientTools: [CHOOSE] }
  await patiently(clock, made.run({ ...options, thread: first.thread(), messages: GO, output: first }).over)
  const thread = first.thread()
  const second = memoryStore(thread.messages)
  const chosen: Message = {
    id: 'chosen',
    role: 'tool',
    content: [
      { type: 'tool_result', tool_use_id: 'call_c', content: [{ type: 'text', text: 'red' }], is_error: false },
    ],
  }
  const brought = { messages: [chosen], decisions: [yes('call_r'), no('call_s')] }
  await patiently(clock, made.run({ ...options, ...brought, thread, output: second }).over)
  return { first, second, thread: [...thread.messages, chosen] }
}

test('a client of AG-UI that answers what it was asked has the whole thread at the end', async () => {
  const { first, second, thread } = await segments()
  const client = openClient([{ id: 'said-Go.', role: 'user', content: 'Go.' }])
  const asked = await client.read(bodyOf(agUi, first.events, {}))
  expect(asked.interrupts).toHaveLength(2)
  client.add([{ id: 'chosen', role: 'tool', toolCallId: 'call_c', content: 'red' }])
  const { messages, warnings, rejected, ends } = await client.read(bodyOf(agUi, second.events, {}, thread))
  expect({ warnings, rejected, ends: ends.map(({ type }) => type) }).toEqual({
    warnings: [],
    rejected: undefined,
    ends: ['RUN_FINISHED'],
  })
  const results = messages.flatMap((message) =>
    message.role === 'tool' ? [[message.toolCallId, message.content]] : [],
  )
  expect(Object.fromEntries(results)).toEqual({
    call_a: '{"city":"Oslo","degrees":4}',
    call_c: 'red',
    call_r: 'removed',
    call_s: 'The call was denied.',
  })
  expect(results).toHaveLength(4)
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'It is done.' })
})

test('a client of the SSE wire sees the calls resumed, and the answer', async () => {
  const { second, thread } = await segments()
  const { status, turns, warnings } = sseView(bodyOf(sse, second.events, undefined, thread))
  expect({ status, warnings, text: turns.at(-1)?.text }).toEqual({
    status: 'finished',
    warnings: [],
    text: 'It is done.',
  })
})

test('a chat client is asked by calls of its own, and then has its answer', async () => {
  const { first, second, thread } = await segments()
  const options = { clientTools: ['choose'], approvalTool: 'approve' }
  const asked = await readFinal(bodyOf(openaiChat, first.events, options))
  expect(asked.toolCalls.map(({ name }) => name).toSorted()).toEqual(['approve', 'approve', 'choose'])
  const { text, finish, error } = await readFinal(bodyOf(openaiChat, second.events, options, thread))
  expect({ text, finish, error }).toEqual({ text: 'It is done.', finish: 'stop', error: undefined })
})

// ── Over HTTP it is the same ──

const HANGING: ReadonlySet<SceneName> = new Set(['silent-at-first', 'silent-text', 'hanging-tool'])
/** Waits between two attempts are over at once, the other times never come. */
const hasty: Clock = {
  now: () => 1_780_000_000_000,
  after(milliseconds, task) {
    if (milliseconds > 1000) return () => undefined
    const timer = setImmediate(task)
    return () => clearImmediate(timer)
  },
}

const server = providerServer(provider(scenes))
let url = ''
beforeAll(async () => {
  url = await listen(server)
})
afterAll(() => shut(server))

test.each(SCENES.filter((scene) => !HANGING.has(scene)))('%s from a server', async (scene) => {
  const store = memoryStore()
  const { run } = agent({ model: modelOf(scene, url), fetch, clock: hasty, tools: toolsOf([]) })
  await run({ ...RUN, thread: store.thread(), messages: GO, clientTools: [CHOOSE], output: store }).over
  const same = await played(scene)
  expect(outline(store.thread().messages)).toEqual(outline(same.thread().messages))
  expect(store.facts().at(-1)?.type).toBe(same.facts().at(-1)?.type)
})
