import { runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { memoryBus, memoryStore } from '../src/index.ts'
import { manualClock } from '../src/testing.ts'
import { RUN } from './conversation.ts'
import { client, gated, world } from './world.ts'

test('a producer that lives keeps its run, however long it is silent', async () => {
  const { hub, pass } = world()
  const producer = await hub.produce(RUN)
  void producer.write(runWriter(RUN).text('a'))
  await pass(120_000)
  expect(producer.signal.aborted).toBe(false)
  expect(hub.metrics().reaped).toBe(0)
})

test('a run of a dead producer is ended as failed within lease and look, its calls answered, its readers told', async () => {
  const [store, clock] = [memoryStore(), manualClock()]
  const dying = gated(store)
  dying.open()
  const first = world({ store: dying, clock, owner: 'first' })
  const producer = await first.hub.produce(RUN)
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('c', 'look', '{}'))
  void producer.write(writer.commit())
  await first.settle()
  dying.kill()

  const second = world({ store, clock, owner: 'second' })
  const reader = client(await second.hub.attach(RUN.runId, sse))
  await second.settle()
  expect(reader.text()).toContain('messages_snapshot')
  // 15 s of lease, 5 s between two looks, and a second to read it.
  await second.pass(21_000)
  expect(reader.left).toBe('complete')
  expect(reader.text()).toContain('producer_lost')
  expect(reader.text()).toContain('tool_call_done')
  expect(second.hub.metrics().reaped).toBe(1)
  const facts = (await store.facts(RUN.runId, -1, 100)).map(({ fact }) => fact.type)
  expect(facts.filter((type) => type === 'run_failed')).toHaveLength(1)
})

test('whoever asks for the run of a dead producer ends it at once', async () => {
  const [store, clock] = [memoryStore(), manualClock()]
  const dying = gated(store)
  dying.open()
  const first = world({ store: dying, clock })
  void (await first.hub.produce(RUN)).write(runWriter(RUN).text('a'))
  await first.settle()
  dying.kill()
  clock.advance(15_000)
  const second = world({ store, clock, limits: { reapMs: 1e9 } })
  const reader = client(await second.hub.attach(RUN.runId, sse))
  await second.settle()
  expect(reader.text()).toContain('producer_lost')
  await expect(second.hub.produce(RUN)).rejects.toMatchObject({ code: 'run_ended' })
})

test('a late producer is refused, shows nothing more, and is told', async () => {
  const [store, clock] = [memoryStore(), manualClock()]
  const paused = gated(store)
  paused.open()
  const first = world({ store: paused, clock, limits: { reapMs: 1e9 } })
  const producer = await first.hub.produce(RUN)
  const writer = runWriter(RUN)
  void producer.write(writer.text('a'))
  await first.settle()
  const reader = client(await first.hub.attach(RUN.runId, sse))
  // The process stands still while the lease runs out, as in a long pause.
  const taken = await store.acquire(RUN.runId, { owner: 'other', now: 1e9, until: 2e9 })
  expect(taken.type).toBe('held')
  const late = producer.write(writer.end()).catch((error: unknown) => error)
  await first.settle()
  expect(await late).toMatchObject({ code: 'run_taken' })
  expect(producer.signal.reason).toMatchObject({ code: 'run_taken' })
  await expect(producer.commit({ messages: [], state: { type: 'running' } })).rejects.toMatchObject({
    code: 'run_taken',
  })
  expect(reader.text()).not.toContain('run_finish')
  expect(first.hub.metrics().fenced).toBe(1)
  expect(await store.steps(RUN.runId, 0, 10)).toHaveLength(1)
})

test('a producer that cannot renew its lease is not lost to another of its process', async () => {
  const store = memoryStore()
  const renew = (): Promise<never> => Promise.reject(new Error('busy'))
  const { hub, pass, settle } = world({ store: { ...store, renew } })
  const producer = await hub.produce(RUN)
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('c', 'ask', '{}', 'pending_client'))
  await pass(20_000)
  await expect(hub.produce(RUN)).rejects.toMatchObject({ code: 'run_taken' })
  await producer.write(writer.await())

  const next = await hub.produce(RUN)
  await pass(20_000)
  await expect(hub.produce(RUN)).rejects.toMatchObject({ code: 'run_taken' })
  const goesOn = runWriter({ runId: RUN.runId, standing: next.standing(), history: next.messages() })
  void next.write(goesOn.toolResult('c', 'yes'))
  await next.write(goesOn.end())
  await settle()
  expect((await store.load(RUN.runId))?.standing.state).toMatchObject({ type: 'ended', cause: { type: 'natural_end' } })
})

test.each(['the same process', 'one that looked on'])('a key of an earlier segment is known to %s', async (who) => {
  const [store, clock] = [memoryStore(), manualClock()]
  const first = world({ store, clock, owner: 'a' })
  const second = who === 'the same process' ? first : world({ store, clock, owner: 'b' })
  const commit = { messages: [{ id: 'u', role: 'user', content: [] }], state: { type: 'running' } } as const
  const producer = await first.hub.produce(RUN)
  client(await second.hub.attach(RUN.runId, sse))
  await producer.commit(commit, { key: 'k' })
  await producer.commit({ messages: [], state: { type: 'awaiting' }, pending: [] })
  await second.pass(5000)

  const next = await second.hub.produce(RUN)
  expect(await next.commit(commit, { key: 'k' })).toEqual({ revision: 1, repeated: true })
  await second.settle()
  expect(next.signal.aborted).toBe(false)
})

test('a commit whose key another has stored in the meantime is refused', async () => {
  const [store, clock] = [memoryStore(), manualClock()]
  const { hub, settle } = world({ store, clock })
  const producer = await hub.produce(RUN)
  const taken = await store.acquire(RUN.runId, { owner: 'other', now: 1e9, until: 2e9 })
  if (taken.type !== 'held') throw new Error('not taken')
  const commit = { messages: [], state: { type: 'running' } } as const
  const step = { commit, facts: [], after: { state: commit.state, openCalls: [] } }
  const { epoch } = taken.record.lease
  await store.append(RUN.runId, { epoch, revision: 0, key: 'k', reserve: 100, release: false, step })
  const late = producer.commit(commit, { key: 'k' }).catch((error: unknown) => error)
  await settle()
  expect(await Promise.race([late, settle()])).toMatchObject({ code: 'run_taken' })
})

test('one producer at a time', async () => {
  const [store, clock] = [memoryStore(), manualClock()]
  const [first, second] = [world({ store, clock, owner: 'a' }), world({ store, clock, owner: 'b' })]
  const outcomes = await Promise.allSettled([first.hub.produce(RUN), second.hub.produce(RUN), first.hub.produce(RUN)])
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(
    outcomes.flatMap((each) => (each.status === 'rejected' ? [(each.reason as { code: string }).code] : [])),
  ).toEqual(['run_taken', 'run_taken'])
})

test('a run that waits has no producer, and any process may go on with it, without a gap in its numbers', async () => {
  const [store, clock] = [memoryStore(), manualClock()]
  const [first, second] = [world({ store, clock, owner: 'a' }), world({ store, clock, owner: 'b' })]
  const producer = await first.hub.produce(RUN)
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('c', 'ask', '{}', 'pending_client'))
  await producer.write(writer.await())
  await second.pass(60_000)
  const next = await second.hub.produce(RUN)
  const goesOn = runWriter({ runId: RUN.runId, standing: next.standing(), history: next.messages() })
  await next.write(goesOn.toolResult('c', 'yes'))
  const numbers = (await store.facts(RUN.runId, -1, 100)).map(({ seq, fact }) => [seq, fact.type])
  const waiting = numbers.findIndex(([, type]) => type === 'awaiting')
  expect(numbers[waiting + 1]).toEqual([Number(numbers[waiting]?.[0]) + 1, 'run_started'])
})

test('asked to end, a producer is told, and if it does not the hub does', async () => {
  const { hub, settle, pass } = world()
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  void producer.write(runWriter(RUN).text('a'))
  await settle()
  expect(await hub.ask(RUN.runId, { type: 'stopped', code: 'budget' })).toBe(true)
  expect(producer.signal.reason).toEqual({ type: 'stopped', code: 'budget' })
  await pass(9000)
  expect(reader.left).toBeUndefined()
  await pass(2000)
  expect(reader.left).toBe('complete')
  expect(reader.text()).toContain('budget')
  expect(await hub.ask(RUN.runId, { type: 'cancelled' })).toBe(false)
})

test('a producer that ends when it is asked commits what it has', async () => {
  const { hub, settle, pass } = world()
  const producer = await hub.produce(RUN)
  const writer = runWriter(RUN)
  producer.signal.addEventListener('abort', () => void producer.write(writer.end({ type: 'cancelled' })))
  void producer.write(writer.text('half a sen'))
  await settle()
  await hub.ask(RUN.runId, { type: 'cancelled' })
  await settle()
  expect(producer.messages().at(-1)?.content).toEqual([{ type: 'text', text: 'half a sen' }])
  await pass(20_000)
  expect(producer.standing().state).toEqual({ type: 'ended', cause: { type: 'cancelled' } })
})

test('asked to end while the commit that has it wait is on its way, a run ends', async () => {
  const store = memoryStore()
  const slow = gated(store)
  const { hub, settle } = world({ store: slow })
  slow.open()
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  slow.shut()
  const waits = producer.write(runWriter(RUN).await([]))
  expect(await hub.ask(RUN.runId, { type: 'cancelled' })).toBe(true)
  slow.open()
  await waits
  await settle()
  expect((await store.load(RUN.runId))?.standing.state).toEqual({ type: 'ended', cause: { type: 'cancelled' } })
  expect(reader.left).toBe('complete')
  expect(await hub.ask(RUN.runId, { type: 'cancelled' })).toBe(false)
})

test('a run that was asked to end and waits is ended as soon as its store can, or by whoever goes on with it', async () => {
  const store = memoryStore()
  let isDown = false
  const acquire: typeof store.acquire = async (...args) => {
    if (isDown) throw new Error('store down')
    return store.acquire(...args)
  }
  const { hub, settle, pass, errors } = world({ store: { ...store, acquire } })
  const ended = { type: 'ended', cause: { type: 'cancelled' } }
  const asked = async (runId: string): Promise<void> => {
    const producer = await hub.produce({ ...RUN, runId })
    isDown = true
    const waits = producer.write(runWriter({ ...RUN, runId }).await([]))
    expect(await hub.ask(runId, { type: 'cancelled' })).toBe(true)
    await waits
    await settle()
    isDown = false
    expect((await store.load(runId))?.standing.state).toEqual({ type: 'awaiting' })
  }
  await asked('first')
  expect(errors.map(String)).toEqual(['Error: store down'])
  await pass(10_000)
  expect((await store.load('first'))?.standing.state).toEqual(ended)
  await asked('second')
  const next = await hub.produce({ ...RUN, runId: 'second' })
  expect(next.signal.reason).toEqual({ type: 'cancelled' })
  await pass(11_000)
  expect((await store.load('second'))?.standing.state).toEqual(ended)
})

test('a run that waits is cancelled without a producer, by any process', async () => {
  const [store, clock] = [memoryStore(), manualClock()]
  const [first, second] = [world({ store, clock }), world({ store, clock })]
  const producer = await first.hub.produce(RUN)
  const reader = client(await first.hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('c', 'ask', '{}', 'pending_client'))
  await producer.write(writer.await())
  expect(await second.hub.ask(RUN.runId, { type: 'cancelled' })).toBe(true)
  await first.pass(2000)
  expect(reader.left).toBe('complete')
  expect(reader.text()).toContain('"cancelled"')
})

test('a producer in another process is asked over the bus', async () => {
  const [store, clock, bus] = [memoryStore(), manualClock(), memoryBus()]
  const [first, second] = [world({ store, clock, bus }), world({ store, clock, bus })]
  const producer = await first.hub.produce(RUN)
  await first.settle()
  expect(await second.hub.ask(RUN.runId, { type: 'cancelled' })).toBe(true)
  await first.settle()
  expect(producer.signal.reason).toEqual({ type: 'cancelled' })
  expect(await second.hub.ask('nobody', { type: 'cancelled' })).toBe(false)
})

test('a commit behind an end that is not stored yet is refused, and not thrown', async () => {
  const { hub } = world()
  const producer = await hub.produce(RUN)
  const end = producer.commit({ messages: [], state: { type: 'ended', cause: { type: 'natural_end' } } })
  const late = producer.commit({ messages: [], state: { type: 'running' } })
  await expect(late).rejects.toMatchObject({ code: 'run_ended' })
  expect(await end).toEqual({ revision: 1, repeated: false })
})
