import { runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { memoryStore } from '../src/index.ts'
import { client, gated, world } from './world.ts'

test('a hub that is closed while it reads what another process has stored reads no more', async () => {
  const inner = memoryStore()
  const writing = world({ store: inner, owner: 'one' })
  const producer = await writing.hub.produce({ threadId: 'thread-1', runId: 'run-1' })
  const writer = runWriter({ runId: 'run-1' })
  const store = gated(inner)
  store.open()
  let reads = 0
  const steps: typeof inner.steps = (...given) => {
    if (++reads > 1000) throw new Error('it reads for ever')
    return store.steps(...given)
  }
  const { hub, errors, pass, settle } = world({
    store: { ...store, steps },
    owner: 'two',
    clock: writing.clock,
    limits: { pageFacts: 2 },
  })
  const reader = client(await hub.attach('run-1', sse))
  await settle()
  for (const text of ['One.', 'Two.', 'Three.', 'Four.']) {
    void producer.write(writer.text(text))
    await producer.write(writer.commit())
  }
  // Its next look is on its way when it closes.
  store.shut()
  await pass(1000)
  expect(store.waiting).toBe(1)
  reads = 0
  const closing = hub.close()
  store.open()
  store.next()
  await settle()
  await closing
  expect([reader.left, reads, errors]).toEqual(['closed', 0, []])
})
