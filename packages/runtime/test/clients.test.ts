import { agUi } from '@factwire/ag-ui'
import { type AgentEvent, type Encodable, endsSegment, type Message, writer } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { provider, providerServer, type SceneName, scenes } from '@factwire/provider'
import { sse } from '@factwire/sse'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientView as agUiView, type ClientView, openClient } from '../../ag-ui/test/client.ts'
import { readFinal } from '../../openai-chat/test/client.ts'
import { clientView as sseView } from '../../sse/test/client.ts'
import { listen, shut } from '../../../apps/demo/src/loopback.ts'
import { agent, type Clock } from '../src/index.ts'
import { CHOOSE, modelOf, outline, RUN, said, toolsOf, world } from './agent.ts'
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
): string {
  const context = { ...RUN, model: 'scripted-1', startedAt: 1_780_000_000_000, history: GO }
  const { push, close } = writer(wire, context, options === undefined ? {} : { transcoder: options })
  let text = ''
  for (const event of events) {
    text += push(event)
    if (endsSegment(event)) break
  }
  return text + close()
}

const onlyFacts = (events: readonly AgentEvent[]): readonly AgentEvent[] => events.filter(({ tier }) => tier === 'fact')

// ── Whoever saw everything ends as whoever saw nothing ──

test.each(SCENES)('%s on the SSE wire', async (scene) => {
  const { events } = await played(scene)
  const live = sseView(bodyOf(sse, events))
  expect(live.warnings).toEqual([])
  expect(live.rejected).toBeUndefined()
  expect({ ...live, more: undefined }).toEqual({ ...sseView(bodyOf(sse, onlyFacts(events))), more: undefined })
})

test.each(SCENES)('%s for @ag-ui/client', async (scene) => {
  const { events } = await played(scene)
  const read = (text: string): Promise<ClientView> =>
    openClient([{ id: 'said-Go.', role: 'user', content: 'Go.' }]).read(text)
  const live = await read(bodyOf(agUi, events, { reasoning: true }))
  expect(live.warnings).toEqual([])
  expect(live.rejected).toBeUndefined()
  expect(live.ends).toHaveLength(1)
  const facts = await read(bodyOf(agUi, onlyFacts(events), { reasoning: true }))
  // A thought that is taken back stays there without words: the client keeps what a snapshot does not name.
  const spoken = ({ messages }: ClientView): unknown =>
    messages.filter(({ role, content }) => role !== 'activity' && !(role === 'reasoning' && content === ''))
  expect(spoken(live)).toEqual(spoken(facts))
  expect([live.pending, live.interrupts, live.ends]).toEqual([facts.pending, facts.interrupts, facts.ends])
})

test.each(SCENES)('%s for the openai SDK', async (scene) => {
  const { events } = await played(scene)
  const options = { clientTools: ['choose'], includeUsage: true, approvalTool: 'approve' }
  const live = await readFinal(bodyOf(openaiChat, events, options))
  const facts = await readFinal(bodyOf(openaiChat, onlyFacts(events), options))
  expect(live.warnings).toEqual([])
  // Of a run that fails, what came before it is seen only by who was there.
  expect(live).toEqual({ ...facts, ...(facts.error ? { text: live.text } : {}) })
})

test('a client of AG-UI that was shown what is taken back has it no more', async () => {
  const { events } = await played('cut-thought')
  const { messages } = await agUiView([], [])
  expect(messages).toEqual([])
  const live = await openClient([]).read(bodyOf(agUi, events, { reasoning: true }))
  expect(JSON.stringify(live.messages)).not.toContain('Let me think')
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
