import { type Commit, runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { type FactStore, memoryStore } from '../src/index.ts'
import { manualClock } from '../src/testing.ts'
import { conversation, RUN } from './conversation.ts'
import { client, gated, world } from './world.ts'

const idsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))

test('events are numbered from 0, one after the other, facts and deltas alike', async () => {
  const store = memoryStore()
  const { hub, settle } = world({ store })
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  for (const say of conversation()) {
    void producer.write(say())
    await settle()
  }
  const facts = (await store.facts(RUN.runId, -1, 100)).map(({ seq }) => seq)
  const ids = idsIn(reader.text())
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  expect(new Set([...ids, ...facts]).size).toBe((facts.at(-1) ?? 0) + 1)
})

test('what follows a commit is not shown before the store has it', async () => {
  const store = gated(memoryStore())
  const { hub, settle, clock } = world({ store })
  const producing = hub.produce(RUN)
  store.next()
  const producer = await producing
  await settle()
  const reader = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  let stored = false
  void producer.write(writer.text('Hello')).then(() => {
    stored = true
  })
  void producer.write(writer.text(' you'))
  await settle()
  expect([reader.text(), stored]).toEqual(['', false])
  store.next()
  await settle()
  clock.turn()
  expect(stored).toBe(true)
  expect(reader.text()).toContain('run_start')
  expect(reader.text()).toContain('"delta":"Hello"')
  expect(reader.text()).toContain('"delta":" you"')
})

test('a fact that could not be stored is shown to nobody, and its producer hears of it', async () => {
  const kept = memoryStore()
  let isBroken = false
  const store: FactStore = {
    ...kept,
    append: (...args) => (isBroken ? Promise.reject(new Error('disk full')) : kept.append(...args)),
  }
  const { hub, settle, clock, errors } = world({ store })
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  void producer.write(writer.text('Hello'))
  await settle()
  isBroken = true
  const committing = producer.write(writer.commit())
  const outcome = committing.catch((error: unknown) => error)
  for (const _try of [1, 2, 3, 4]) {
    await settle()
    clock.advance(2000)
  }
  expect(await outcome).toMatchObject({ code: 'store_failed' })
  expect(producer.signal.reason).toMatchObject({ code: 'store_failed' })
  expect(reader.text()).not.toContain('step_end')
  expect(errors.length).toBe(3)
  expect(hub.metrics().storeFailures).toBe(4)
})

test('a store that fails once is tried again, and nothing is stored twice', async () => {
  const kept = memoryStore()
  let answersLost = 1
  const store: FactStore = {
    ...kept,
    async append(...args) {
      const done = await kept.append(...args)
      if (answersLost-- > 0) throw new Error('the answer is lost')
      return done
    },
  }
  const { hub, settle, clock } = world({ store })
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  const writing = producer.write(runWriter(RUN).text('Hello'))
  await settle()
  clock.advance(100)
  await settle()
  await writing
  expect(reader.text().match(/run_start/g)).toHaveLength(1)
  expect(await store.steps(RUN.runId, 0, 10)).toHaveLength(1)
})

test('numbers are reserved in the store before anybody sees them, so that no other process gives them again', async () => {
  const store = memoryStore()
  const clock = manualClock()
  const limits = { reserveBlock: 4 }
  const dying = gated(store)
  dying.open()
  const first = world({ store: dying, clock, limits })
  const producer = await first.hub.produce(RUN)
  const reader = client(await first.hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  for (let index = 0; index < 30; index++) {
    void producer.write(writer.text(`${index} `))
    await first.settle()
    const seen = idsIn(reader.text()).at(-1) ?? 0
    expect((await store.load(RUN.runId))?.reserved).toBeGreaterThan(seen)
  }
  const shown = idsIn(reader.text())
  expect(shown.length).toBeGreaterThan(29)

  dying.kill()
  // The process dies; another ends the run as failed.
  const second = world({ store, clock, limits })
  await second.pass(20_000)
  const facts = await store.facts(RUN.runId, -1, 100)
  expect(facts.at(-1)).toMatchObject({ fact: { type: 'run_failed', code: 'producer_lost' } })
  expect(facts.at(-1)?.seq).toBeGreaterThan(shown.at(-1) ?? 0)
})

test('deltas wait for their numbers', async () => {
  const store = gated(memoryStore())
  const { hub, settle } = world({ store, limits: { reserveBlock: 4 } })
  const producing = hub.produce(RUN)
  store.next()
  const producer = await producing
  const reader = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  for (let index = 0; index < 12; index++) void producer.write(writer.text(`${index} `))
  store.next()
  await settle()
  const before = idsIn(reader.text()).length
  expect(before).toBeLessThan(12)
  store.open()
  await settle()
  expect(reader.text()).toContain('"11 "')
})

test('a commit under the same key is stored once, also by another process', async () => {
  const store = memoryStore()
  const clock = manualClock()
  const { hub, settle } = world({ store, clock })
  const producer = await hub.produce(RUN)
  const asked = { messages: [{ id: 'u1', role: 'user', content: [] }], state: { type: 'running' } } as const
  const both = Promise.all([producer.commit(asked, { key: 'input-1' }), producer.commit(asked, { key: 'input-1' })])
  await settle()
  expect(await both).toEqual([
    { revision: 1, repeated: false },
    { revision: 1, repeated: true },
  ])
  void producer.commit({ messages: [], state: { type: 'awaiting' } })
  await settle()

  const other = world({ store, clock })
  const next = await other.hub.produce(RUN)
  expect(await next.commit(asked, { key: 'input-1' })).toEqual({ revision: 1, repeated: true })
  expect(await store.steps(RUN.runId, 0, 10)).toHaveLength(2)
})

test('a fragment of no message is refused with what to write instead', async () => {
  const { hub } = world()
  const producer = await hub.produce(RUN)
  expect(() => producer.delta({ type: 'text_delta', delta: 'x' })).toThrow(/message_id/)
})

test('fragments without an offset get one', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  void producer.commit({ messages: [], state: { type: 'running' } })
  producer.delta({ type: 'text_delta', delta: 'Hel', message_id: 'm' })
  producer.delta({ type: 'text_delta', delta: 'lo', message_id: 'm' })
  await settle()
  producer.delta({ type: 'text_delta', delta: '!', message_id: 'm' })
  // The same again, as from a transport that doubles.
  producer.delta({ type: 'text_delta', delta: 'Hello!', message_id: 'm', offset: 0 })
  await settle()
  expect(reader.text().match(/"delta":"[^"]*"/g)).toEqual(['"delta":"Hel"', '"delta":"lo"', '"delta":"!"'])
})

test('what waits behind an unacknowledged commit is bounded: the fact brings the rest', async () => {
  const store = gated(memoryStore())
  const { hub, settle } = world({ store, limits: { queueUnits: 2000 } })
  const producing = hub.produce(RUN)
  store.next()
  const producer = await producing
  const reader = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  for (let index = 0; index < 200; index++) void producer.write(writer.text(`word ${index} `))
  await settle()
  expect(hub.metrics().queueUnits).toBeLessThan(2200)
  expect(hub.metrics().deltasSkipped).toBeGreaterThan(150)
  void producer.write(writer.end())
  store.open()
  await settle()
  const text = [...reader.text().matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta).join('')
  expect(text).toBe(Array.from({ length: 200 }, (_none, index) => `word ${index} `).join(''))
  expect(hub.metrics().queueUnits).toBe(0)
})

test('the model calls of a segment are told to who joins it, also after a restart', async () => {
  const store = memoryStore()
  const before = world({ store })
  const producer = await before.hub.produce(RUN)
  const running = { type: 'running' } as const
  const spent = (model: string): Commit => ({ messages: [], state: running, inference: { model, duration_ms: 1 } })
  await producer.commit(spent('one'))
  await producer.commit({ messages: [], state: { type: 'awaiting' } })
  expect(producer.committed().inferences).toEqual([{ model: 'one', duration_ms: 1 }])
  const next = await before.hub.produce(RUN)
  await next.commit(spent('two'))
  await next.commit(spent('two'))
  const inferences = [
    { model: 'two', duration_ms: 1 },
    { model: 'two', duration_ms: 1 },
  ]
  expect(next.committed().inferences).toEqual(inferences)
  await next.commit({ messages: [], state: { type: 'awaiting' } })
  await before.hub.close()
  const after = await world({ store }).hub.produce(RUN)
  expect(after.committed().inferences).toEqual(inferences)
})

test('a producer has the stored thread, and whom it waits for, as long as no result has come', async () => {
  const { hub } = world()
  const producer = await hub.produce(RUN)
  expect(producer.committed()).toEqual({ messages: [], standing: { openCalls: [] }, dispositions: [] })
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('a', 'ask', '{}'))
  void producer.write(writer.toolCall('b', 'choose', '{}', 'pending_client'))
  const pending = [
    { tool_use_id: 'a', kind: 'approval', message: 'May I?', expires_at: '2030-01-01T00:00:00Z' },
    { tool_use_id: 'b', kind: 'client' },
  ] as const
  await producer.write(writer.await(pending))
  const next = await hub.produce(RUN)
  expect(next.committed()).toMatchObject({ standing: { state: { type: 'awaiting' } }, pending })
  const { messages, standing } = next.committed()
  const goesOn = runWriter({ runId: RUN.runId, standing, history: messages })
  await next.write(goesOn.toolResult('b', 'red'))
  // What is noted of the other outlives the commit that does not speak of it.
  expect(next.committed().pending).toEqual([pending[0]])
  await next.write(goesOn.toolResult('a', 'done'))
  expect(next.committed().pending).toBeUndefined()
  // Whoever joins is told of answered calls, too.
  const message_id = messages[0]?.id
  expect(next.committed().dispositions).toEqual([
    { id: 'a', message_id, disposition: 'pending_builtin' },
    { id: 'b', message_id, disposition: 'pending_client' },
  ])
  expect(next.committed().messages).toEqual(next.messages())
})

test('the committed threads are counted, histories included', async () => {
  const { hub } = world()
  const history = [{ id: 'u', role: 'user', content: [{ type: 'text', text: 'x'.repeat(1000) }] }] as const
  const producer = await hub.produce({ ...RUN, history })
  const { threadUnits } = hub.metrics()
  expect(threadUnits).toBe(JSON.stringify(history).length)
  const writer = runWriter(RUN)
  void producer.write(writer.text('y'.repeat(500)))
  await producer.write(writer.commit())
  const { threadUnits: grown } = hub.metrics()
  expect(grown - threadUnits).toBeGreaterThan(500)
  expect(grown - threadUnits).toBeLessThan(800)
})

test('documents and what a run waits for are counted with its thread, as they are now', async () => {
  const { hub } = world()
  const producer = await hub.produce(RUN)
  const state = { type: 'running' } as const
  const long = 'x'.repeat(1000)
  const units = (): number => Math.round(hub.metrics().threadUnits / 1000)
  await producer.commit({ messages: [], state, snapshot: { long, more: long } })
  expect(units()).toBe(2)
  await producer.commit({ messages: [], state, snapshot: { long } })
  expect(units()).toBe(1)
  const activity = { message_id: 'a', activity_type: 'plan', content: long + long } as const
  await producer.commit({ messages: [], state, activities: [activity, { ...activity, activity_type: 'other' }] })
  expect(units()).toBe(5)
  await producer.commit({ messages: [], state: { type: 'awaiting' }, pending: [], result: long })
  expect(units()).toBe(6)
  await hub.close()
  expect(hub.metrics().threadUnits).toBe(0)
})
