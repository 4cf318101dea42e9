import { runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { memoryStore } from '../src/index.ts'
import { client, gated, type World, world } from './world.ts'

const LONG = 'x'.repeat(1000)

/** A run with a thread of some length that is over, and was read. */
async function over({ hub, pass }: World, runId: string): Promise<void> {
  const producer = await hub.produce({ threadId: 'thread-1', runId })
  const writer = runWriter({ runId })
  void producer.write(writer.text(LONG))
  const reader = client(await hub.attach(runId, sse))
  await producer.write(writer.end())
  await pass(2000)
  expect(reader.left).toBe('complete')
}

test('a run that nobody reads or writes is let go after a while, with its thread', async () => {
  const made = world()
  await over(made, 'run-1')
  expect(made.hub.metrics()).toMatchObject({ runs: 1 })
  expect(made.hub.metrics().threadUnits).toBeGreaterThan(1000)
  await made.pass(61_000)
  expect(made.hub.metrics()).toMatchObject({ runs: 0, threadUnits: 0, windowBytes: 0 })
})

test('above the limit of threads those that nobody has had to do with for longest go at once, and are read again', async () => {
  const made = world({ limits: { threadUnits: 3000 } })
  for (const run of ['run-1', 'run-2']) await over(made, run)
  expect(made.hub.metrics().runs).toBe(2)
  for (const run of ['run-3', 'run-4']) await over(made, run)
  const { runs, threadUnits } = made.hub.metrics()
  expect(runs).toBe(2)
  expect(threadUnits).toBeLessThanOrEqual(3000)
  const reader = client(await made.hub.attach('run-1', sse))
  await made.settle()
  expect(reader.text()).toContain(LONG)
})

test('a run that is read or written is kept, however long its thread is', async () => {
  const made = world({ limits: { threadUnits: 10 } })
  const { hub, pass } = made
  const producer = await hub.produce({ threadId: 'thread-1', runId: 'run-1' })
  const writer = runWriter({ runId: 'run-1' })
  void producer.write(writer.text(LONG))
  await producer.write(writer.await([]))
  const reader = client(await hub.attach('run-1', sse))
  await pass(10_000)
  expect(hub.metrics().runs).toBe(1)
  reader.reading.leave()
  await pass(2000)
  expect(hub.metrics()).toMatchObject({ runs: 0, threadUnits: 0 })
})

test('what is kept of how runs were shown is bounded over all runs', async () => {
  const { hub, settle } = world({ limits: { totalPastUnits: 2000 } })
  let most = 0
  for (let index = 0; index < 40; index++) {
    const run = { threadId: 'thread-1', runId: `run-${index}` }
    const producer = await hub.produce(run)
    const writer = runWriter(run)
    for (let step = 0; step < 3; step++) {
      void producer.write(writer.reasoning('Hm.'))
      void producer.write(writer.text('So.'))
      await settle()
      await producer.write(writer.commit())
      most = Math.max(most, hub.metrics().pastUnits)
    }
  }
  expect([most > 1500, most <= 2000]).toEqual([true, true])
  await hub.close()
  expect(hub.metrics().pastUnits).toBe(0)
})

test('what comes in one tick and is more than the window is given to all who take it, and not kept', async () => {
  const { hub, settle } = world({ limits: { windowBytes: 3000 } })
  const producer = await hub.produce({ threadId: 'thread-1', runId: 'run-1' })
  const readers = [client(await hub.attach('run-1', sse)), client(await hub.attach('run-1', sse))]
  const writer = runWriter({ runId: 'run-1' })
  const long = 'x'.repeat(10_000)
  void producer.write(writer.text(long))
  await producer.write(writer.commit())
  await settle()
  expect(readers.map((each) => each.text().includes(long))).toEqual([true, true])
  expect(hub.metrics()).toMatchObject({ windowBytes: 0, fellBehind: 0 })
  const late = client(await hub.attach('run-1', sse))
  void producer.write(writer.end())
  await settle()
  expect([...readers, late].map(({ left }) => left)).toEqual(['complete', 'complete', 'complete'])
  expect(late.text()).toContain(long)
})

/** A run that waits, and that nobody reads. */
async function waits({ hub, settle }: World): Promise<void> {
  const producer = await hub.produce({ threadId: 'thread-1', runId: 'run-1' })
  const writer = runWriter({ runId: 'run-1' })
  void producer.write(writer.text(LONG))
  await producer.write(writer.await([]))
  await settle()
}

test('a run is kept while its next producer waits for a slow store, and is asked to end where it is', async () => {
  const store = gated(memoryStore())
  store.open()
  const made = world({ store, limits: { threadUnits: 10 } })
  await waits(made)
  store.shut()
  const coming = made.hub.produce({ threadId: 'thread-1', runId: 'run-1' })
  for (const _ of ['create', 'acquire']) {
    await made.settle()
    store.next()
  }
  await made.settle()
  await made.pass(3000)
  store.open()
  const producer = await coming
  expect(await made.hub.ask('run-1', { type: 'cancelled' })).toBe(true)
  expect(producer.signal.reason).toEqual({ type: 'cancelled' })
})

test('a run is kept while somebody who comes back waits for a slow store, and goes on for them', async () => {
  const store = gated(memoryStore())
  store.open()
  const made = world({ store, limits: { threadUnits: 10 } })
  await waits(made)
  await made.hub.attach('run-1', sse)
  store.shut()
  // A number that only the store can say something of.
  const coming = made.hub.attach('run-1', sse, { lastEventId: '900' })
  await made.settle()
  await made.pass(3000)
  expect(made.hub.metrics().runs).toBe(1)
  store.open()
  expect((await coming).type).toBe('unknown_position')
  await made.pass(3000)
  expect(made.hub.metrics()).toMatchObject({ runs: 0, threadUnits: 0 })
})

test('a response that is begun when its run was let go is over at once, and its client may come back', async () => {
  const made = world({ limits: { threadUnits: 10 } })
  await waits(made)
  const attached = await made.hub.attach('run-1', sse)
  await made.pass(2000)
  const reader = client(attached)
  await made.settle()
  expect([reader.left, reader.ended, made.hub.metrics().readers]).toEqual(['closed', true, 0])
  const again = client(await made.hub.attach('run-1', sse))
  await made.settle()
  expect(again.text()).toContain(LONG)
})

test('nothing is held of a run that could not be read to its end', async () => {
  const inner = memoryStore()
  const { hub, settle } = world({ store: inner })
  const producer = await hub.produce({ threadId: 'thread-1', runId: 'run-1' })
  const writer = runWriter({ runId: 'run-1' })
  for (const text of [LONG, LONG]) {
    void producer.write(writer.text(text))
    await producer.write(writer.commit())
  }
  await producer.write(writer.end())
  await settle()
  const steps: typeof inner.steps = async (runId, after, limit) => {
    if (after > 0) throw new Error('the disk is gone')
    return inner.steps(runId, after, limit)
  }
  const other = world({ store: { ...inner, steps }, limits: { pageFacts: 2 } })
  await expect(other.hub.attach('run-1', sse)).rejects.toThrow('the disk is gone')
  expect(other.hub.metrics()).toMatchObject({ runs: 0, threadUnits: 0, pastUnits: 0 })
})
