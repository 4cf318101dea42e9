import type { Committed, Delta } from '@factwire/core'
import { inProcess, type Move, provider, scenes, words } from '@factwire/provider'
import { expect, test } from 'vitest'
import {
  type AgentOptions,
  memoryCheckpoints,
  memoryJournal,
  type Output,
  type StreamCheckpoint,
} from '../src/index.ts'
import { outline, RUN, said, world, type World } from './agent.ts'
import { patiently, turns } from './clock.ts'
import { type MemoryStore, memoryStore } from './store.ts'

const checkpoint = (said: Partial<StreamCheckpoint>): StreamCheckpoint => ({
  run_id: 'run-1',
  thread_id: 'thread-1',
  after: 'said-Go.',
  upstream_model: 'scripted-1',
  partial_text: '',
  completed_tool_calls: [],
  in_flight_tool: null,
  updated_at_ms: 0,
  ...said,
})

/** A run that a process left after its first commit. */
function left(): MemoryStore {
  const store = memoryStore()
  void store.write({ events: [], commit: { messages: [said('Go.')], state: { type: 'running' } } })
  return store
}

async function resumed(
  scene: string,
  kept: StreamCheckpoint | undefined,
  options: Partial<AgentOptions> = {},
): Promise<
  World & { readonly store: MemoryStore; readonly told: readonly string[]; readonly deltas: readonly Delta[] }
> {
  const checkpoints = memoryCheckpoints()
  if (kept) await checkpoints.put(kept)
  const made = world(scene, { checkpoints, ...options })
  const store = left()
  await patiently(made.clock, made.agent.run({ ...RUN, thread: store.thread(), output: store }).over)
  const deltas = store.events.flatMap(({ tier, event }) => (tier === 'delta' ? [event] : []))
  expect(await checkpoints.get('run-1')).toBeUndefined()
  return { ...made, store, told: outline(store.thread().messages).slice(1), deltas }
}

test('what a process before it has shown is taken back first, and its ids are not given again', async () => {
  const { deltas, told } = await resumed('text', undefined)
  expect(deltas.slice(0, 2)).toEqual([
    { type: 'stream_reset', reason: 'resumed from checkpoint' },
    { type: 'step_started', message_id: 'run-1-resumed-1-assistant-0' },
  ])
  expect(told).toEqual(['assistant: Hello 🌍.'])
})

test('a checkpoint of text is gone on with', async () => {
  const { told, provider: asked } = await resumed('text', checkpoint({ partial_text: 'I say: ' }))
  expect(told).toEqual(['assistant: I say: Hello 🌍.'])
  expect(asked.requests[0]?.messages?.map(({ role, content }) => [role, String(content).slice(0, 27)])).toEqual([
    ['user', 'Go.'],
    ['assistant', 'I say: '],
    ['user', 'Your last message was cut o'],
  ])
})

test('a checkpoint with a whole call is a turn: the call is made, and the model is told of the other', async () => {
  const kept = checkpoint({
    partial_text: 'I look.',
    completed_tool_calls: [{ id: 'call_a', name: 'look_up', arguments: { city: 'Oslo' } }],
    in_flight_tool: { id: 'call_b', name: 'remove', partial_args: '{"pa' },
  })
  const { told, trace } = await resumed('parallel-tools', kept)
  expect(trace).toEqual(['look_up call_a Oslo'])
  expect(told).toEqual([
    'assistant: I look.',
    'calls call_a look_up {"city":"Oslo"}',
    'call_a: {"city":"Oslo","degrees":4}',
    'assistant: It is done.',
  ])
})

test('a checkpoint of half a call is nothing', async () => {
  const kept = checkpoint({ in_flight_tool: { id: 'call_b', name: 'remove', partial_args: '{"pa' } })
  expect((await resumed('text', kept)).told).toEqual(['assistant: Hello 🌍.'])
})

test('a checkpoint of another place in the thread is not looked at', async () => {
  const { told } = await resumed('text', checkpoint({ partial_text: 'old', after: 'said-before' }))
  expect(told).toEqual(['assistant: Hello 🌍.'])
})

test('what was said while an answer was made that no process finished is heard before any call of it', async () => {
  const kept = checkpoint({
    partial_text: 'I remove it.',
    completed_tool_calls: [{ id: 'call_r', name: 'remove', arguments: { path: '/tmp' } }],
  })
  const journal = memoryJournal()
  await journal.add('run-1', [{ type: 'said', message: said('No, remove nothing.') }])
  const removed: string[] = []
  const tools = [{ name: 'remove', run: () => void removed.push('all') }]
  const { told, provider: asked } = await resumed('text', kept, { journal, tools })
  expect(removed).toEqual([])
  expect(told).toEqual(['user: No, remove nothing.', 'assistant: Hello 🌍.'])
  expect(asked.requests[0]?.messages?.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Go.\n\nNo, remove nothing.'],
  ])
})

test('where text is not continued, a checkpoint of text is nothing', async () => {
  const { told } = await resumed('text', checkpoint({ partial_text: 'I say: ' }), { limits: { continueText: false } })
  expect(told).toEqual(['assistant: Hello 🌍.'])
})

test('an answer is kept every few fragments, and what came of it by then', async () => {
  const kept: StreamCheckpoint[] = []
  const plain = memoryCheckpoints()
  const checkpoints = {
    ...plain,
    async put(each: StreamCheckpoint) {
      kept.push(each)
      await plain.put(each)
    },
  }
  const moves: readonly Move[] = scenes['parallel-tools'][0][0].moves
  const fetch = inProcess(provider({ scene: [[{ ...scenes['parallel-tools'][0][0], moves }]] }))
  const made = world('scene', { fetch, checkpoints, limits: { checkpointEvery: 2, steps: 1 } })
  const store = memoryStore()
  const thread: Committed = store.thread()
  await patiently(made.clock, made.agent.run({ ...RUN, thread, messages: [said('Go.')], output: store }).over)
  expect(kept[0]).toMatchObject({ run_id: 'run-1', after: 'said-Go.', upstream_model: 'scripted-1' })
  expect(
    kept.map(({ partial_text, completed_tool_calls, in_flight_tool }) => [
      partial_text,
      completed_tool_calls.map(({ arguments: input }) => input),
      in_flight_tool?.partial_args,
    ]),
  ).toEqual([
    ['Let me see.', [], ''],
    ['Let me see.', [], '{"city":"Ro'],
    ['Let me see.', [{ city: 'Oslo' }, { city: 'Rome' }], undefined],
  ])
  expect(await plain.get('run-1')).toBeUndefined()
})

test('the checkpoints of a long answer cost no more than so many times its length', async () => {
  let units = 0
  let count = 0
  const plain = memoryCheckpoints()
  const checkpoints = {
    ...plain,
    async put(each: StreamCheckpoint) {
      units += each.partial_text.length
      count++
      await plain.put(each)
    },
  }
  const long = 4000
  const fetch = inProcess(provider({ scene: [[words(...Array.from({ length: long }, () => 'word'))]] }))
  const made = world('scene', { fetch, checkpoints })
  const store = memoryStore()
  await patiently(
    made.clock,
    made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store }).over,
  )
  expect(count).toBeGreaterThan(50)
  expect(units).toBeLessThan(20 * long * 'word'.length)
})

test('a tool that may be run again is', async () => {
  const journal = memoryJournal()
  const ran: string[] = []
  const tools = [
    { name: 'now', repeatable: true, run: (_input: unknown, { callId }: { callId: string }) => void ran.push(callId) },
  ]
  const store = memoryStore()
  const made = world('no-arguments', { journal, tools })
  const message = {
    id: 'run-1-assistant-0',
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'call_n', name: 'now', input: {} }],
  } as const
  await store.write({ events: [], commit: { messages: [said('Go.'), message], state: { type: 'running' } } })
  await journal.claim('run-1', 'call_n')
  await patiently(made.clock, made.agent.run({ ...RUN, thread: store.thread(), output: store }).over)
  expect(ran).toEqual(['call_n'])
})

test('steps are counted over all processes and segments of a run', async () => {
  const store = memoryStore()
  const journal = memoryJournal()
  const first = world('many-rounds', { journal, limits: { steps: 3 } })
  let results = 0
  const output: Output = {
    write(written) {
      const isResult = written.commit?.messages.some(({ role }) => role === 'tool') ?? false
      // The process is gone with the second.
      return isResult && ++results === 2 ? new Promise(() => undefined) : store.write(written)
    },
  }
  void first.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output })
  await turns()
  expect(first.provider.requests).toHaveLength(2)
  const second = world('many-rounds', { journal, limits: { steps: 3 } })
  await patiently(second.clock, second.agent.run({ ...RUN, thread: store.thread(), output: store }).over)
  expect(store.facts().at(-1)).toMatchObject({ exhausted: true })
  expect(store.facts().filter(({ type }) => type === 'inference_completed')).toHaveLength(3)
})
