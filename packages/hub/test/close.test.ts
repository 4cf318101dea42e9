import { runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { answer, memoryStore } from '../src/index.ts'
import { RUN } from './conversation.ts'
import { client, gated, world } from './world.ts'

test('a hub that closes first says what has been said', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  const writer = runWriter(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  await producer.write(writer.text('first'))
  await settle()
  void producer.write(writer.text('last'))
  const closing = hub.close()
  expect(reader.text().endsWith('"last"}\n\n')).toBe(true)
  await settle()
  await closing
  expect(reader.left).toBe('closed')
})

test.each(['created', 'taken up'])(
  'a hub that closes while a run is %s gives it back, and has no producer',
  async (how) => {
    const kept = memoryStore()
    if (how === 'taken up') {
      const before = await world({ store: kept }).hub.produce(RUN)
      await before.write(runWriter(RUN).await([]))
    }
    const store = gated(kept)
    const { hub, settle, pass } = world({ store })
    const coming = hub.produce(RUN).catch((error: unknown) => error)
    const closing = hub.close().then(() => 'closed')
    expect(await Promise.race([closing, settle()])).toBeUndefined()
    store.open()
    expect(await closing).toBe('closed')
    expect(String(await coming)).toContain('this hub is closed')
    await pass(60_000)
    expect((await kept.load(RUN.runId))?.lease.until).toBe(0)
    expect(hub.metrics()).toMatchObject({ runs: 0, threadUnits: 0 })
  },
)

test('who attaches while a hub closes gets nothing, and the run is not followed', async () => {
  const kept = memoryStore()
  await world({ store: kept }).hub.produce(RUN)
  let reads = 0
  const steps: typeof kept.steps = (...given) => {
    reads++
    return kept.steps(...given)
  }
  const store = gated({ ...kept, steps })
  const { hub, pass } = world({ store })
  const coming = hub.attach(RUN.runId, sse)
  await hub.close()
  store.open()
  expect((await coming).type).toBe('closed')
  await pass(20_000)
  expect([reads, hub.metrics().runs, hub.metrics().threadUnits]).toEqual([0, 0, 0])
})

test('who begins to read when the hub is closed is at the end', async () => {
  const { hub } = world()
  await hub.produce(RUN)
  const attached = await hub.attach(RUN.runId, sse)
  await hub.close()
  const { reading, ended } = client(attached)
  expect([ended, await reading.done, hub.metrics().readers]).toEqual([true, 'closed', 0])
  expect(await answer(attached).text()).toBe('')
})

test('a hub that closes ends every response between two frames, and takes no more', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  void producer.write(runWriter(RUN).text('a'))
  await settle()
  await hub.close()
  expect([reader.left, reader.ended]).toEqual(['closed', true])
  expect(reader.text().endsWith('\n\n')).toBe(true)
  await expect(hub.produce(RUN)).rejects.toThrow(/closed/)
  expect(hub.metrics()).toMatchObject({ runs: 0, windowBytes: 0, openUnits: 0, queueUnits: 0, threadUnits: 0 })
})

test('a hub that closes does not wait for good for a store that does not answer, and its producers are told', async () => {
  const store = gated(memoryStore())
  const { hub, settle, pass } = world({ store })
  const coming = hub.produce(RUN)
  store.open()
  const producer = await coming
  store.kill()
  const stored = producer.write(runWriter(RUN).commit({ messages: [] })).catch((error: unknown) => error)
  void hub.produce({ ...RUN, runId: 'run-2' }).catch(() => undefined)
  let isClosed = false
  const closing = hub.close().then(() => (isClosed = true))
  await pass(9000)
  expect(isClosed).toBe(false)
  await pass(2000)
  await settle()
  expect(isClosed).toBe(true)
  await closing
  expect(String(await stored)).toContain('the hub was closed')
  expect(producer.signal.aborted).toBe(true)
  expect(hub.metrics()).toMatchObject({ runs: 0, queueUnits: 0, openUnits: 0, threadUnits: 0 })
})
