/** Ports that fail for one run, or never answer once: no other run is held up, and what they did is tried again. */
import type { Message } from '@factwire/core'
import { runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { type FactStore, memoryStore } from '../src/index.ts'
import { manualClock } from '../src/testing.ts'
import { RUN } from './conversation.ts'
import { client, world } from './world.ts'

const never = (): Promise<never> => new Promise(() => undefined)

/** Runs of a process that is dead. */
async function abandoned(store: FactStore, ...runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    const { record } = await store.create({ ...RUN, runId }, { owner: 'dead', now: 0, until: 1 }, 10)
    expect(record.standing.state).toBeUndefined()
  }
}

const stateOf = async (store: FactStore, runId: string): Promise<string | undefined> =>
  (await store.load(runId))?.standing.state?.type

/** The member answers never, the first time. */
function silentOnce<Name extends 'abandoned' | 'renew' | 'steps' | 'load'>(
  store: FactStore,
  name: Name,
): FactStore & { readonly calls: number; hush(): void } {
  let isSilent = false
  let calls = 0
  const call = store[name] as (...args: readonly unknown[]) => Promise<unknown>
  return {
    ...store,
    [name]: (...args: readonly unknown[]) => {
      calls++
      if (!isSilent) return call(...args)
      isSilent = false
      return never()
    },
    get calls() {
      return calls
    },
    hush() {
      isSilent = true
    },
  }
}

const failing = async (): Promise<never> => {
  throw new Error('bad journal')
}

test.each([
  ['fails', failing],
  ['is silent', never],
])('where what was said to one run %s, the others of dead producers are ended', async (_how, bad) => {
  const store = memoryStore()
  const names = Array.from({ length: 120 }, (_none, index) => `bad-${index}`)
  await abandoned(store, ...names, 'good')
  let isDown = true
  const said = (runId: string): Promise<readonly Message[]> =>
    runId.startsWith('bad') && isDown ? bad() : Promise.resolve([])
  const { pass, errors } = world({ store, said })
  await pass(400_000)
  expect(await stateOf(store, 'good')).toBe('ended')
  expect(await stateOf(store, 'bad-0')).toBeUndefined()
  expect(errors.length).toBeGreaterThan(0)
  isDown = false
  await pass(400_000)
  expect(await Promise.all(names.map((name) => stateOf(store, name)))).toEqual(names.map(() => 'ended'))
})

test('a look for dead producers that is never answered is not the last', async () => {
  const kept = memoryStore()
  await abandoned(kept, 'lost')
  const store = silentOnce(kept, 'abandoned')
  store.hush()
  const { pass, errors } = world({ store })
  await pass(15_000)
  expect(await stateOf(kept, 'lost')).toBeUndefined()
  await pass(15_000)
  expect(await stateOf(kept, 'lost')).toBe('ended')
  expect(errors.map(String)).toEqual(['Error: the store has not answered within 15000 ms'])
})

test('a renewal that is never answered costs no producer its run', async () => {
  const [kept, clock] = [memoryStore(), manualClock()]
  const store = silentOnce(kept, 'renew')
  const [here, there] = [world({ store, clock, owner: 'here' }), world({ store: kept, clock, owner: 'there' })]
  const producer = await here.hub.produce(RUN)
  store.hush()
  await there.pass(13_000)
  // Long before the lease is over.
  expect((await kept.load(RUN.runId))?.lease.until).toBeGreaterThan(15_000)
  await there.pass(60_000)
  expect(store.calls).toBeGreaterThan(5)
  await producer.write(runWriter(RUN).end())
  expect((await kept.load(RUN.runId))?.standing.state).toEqual({ type: 'ended', cause: { type: 'natural_end' } })
})

test('a read that is never answered keeps no reader of another process from what comes', async () => {
  const [kept, clock] = [memoryStore(), manualClock()]
  const store = silentOnce(kept, 'steps')
  const [here, there] = [world({ store: kept, clock, owner: 'here' }), world({ store, clock, owner: 'there' })]
  const producer = await here.hub.produce(RUN)
  const reader = client(await there.hub.attach(RUN.runId, sse))
  store.hush()
  await there.pass(1000)
  const writer = runWriter(RUN)
  void producer.write(writer.text('late'))
  await producer.write(writer.end())
  await there.pass(10_000)
  expect(reader.left).toBeUndefined()
  await there.pass(10_000)
  expect(reader.left).toBe('complete')
  expect(reader.text()).toContain('late')
})

test('a run that a store never gave is found by who asks again', async () => {
  const [kept, clock] = [memoryStore(), manualClock()]
  const store = silentOnce(kept, 'load')
  await world({ store: kept, clock, owner: 'there' }).hub.produce(RUN)
  const { hub, pass } = world({ store, clock })
  store.hush()
  const first = hub.attach(RUN.runId, sse).catch(String)
  await pass(15_000)
  expect(await first).toBe('Error: the store has not answered within 15000 ms')
  expect((await hub.attach(RUN.runId, sse)).type).toBe('stream')
})

test('a run that was cancelled ends where nobody ever tells what was said to it', async () => {
  const store = memoryStore()
  const { hub, pass } = world({ store, said: never })
  const producer = await hub.produce(RUN)
  await producer.write(runWriter(RUN).commit({ messages: [] }))
  expect(await hub.ask(RUN.runId, { type: 'cancelled' })).toBe(true)
  await pass(19_000)
  expect(await stateOf(store, RUN.runId)).toBe('running')
  await pass(2000)
  expect(await stateOf(store, RUN.runId)).toBe('ended')
})

test('who cancels a run that waits is told where nobody tells what was said to it', async () => {
  const store = memoryStore()
  const { hub, pass } = world({ store, said: never })
  const producer = await hub.produce(RUN)
  await producer.write(runWriter(RUN).await([]))
  const asked = hub.ask(RUN.runId, { type: 'cancelled' }).catch(String)
  await pass(16_000)
  expect(await asked).toBe('Error: what was said to run-1 has not answered within 15000 ms')
  expect((await store.load(RUN.runId))?.lease.until).toBe(0)
})
