import { runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { client, type World, world } from './world.ts'

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
