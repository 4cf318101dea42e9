/** Calls of the store that are not answered in time, and happen all the same, at once, later or never. */
import { runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { type FactStore, memoryStore } from '../src/index.ts'
import { manualClock } from '../src/testing.ts'
import { RUN } from './conversation.ts'
import { client, world } from './world.ts'

type Call = 'create' | 'load' | 'acquire' | 'release' | 'reserve' | 'append' | 'facts'

interface Silent extends FactStore {
  /** From now on the member answers never. */
  hush(name: Call): void
  /** It answers again. */
  wake(): void
  /** Does now what it was asked for and has not answered. */
  doLate(): Promise<unknown>
}

function silent(store: FactStore, does: 'at once' | 'late'): Silent {
  let hushed: Call | undefined
  let late: (() => Promise<unknown>)[] = []
  function member<Args extends readonly unknown[], Result>(
    name: Call,
    call: (...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return (...args) => {
      if (name !== hushed) return call(...args)
      if (does === 'at once') void call(...args)
      else late.push(() => call(...args))
      return new Promise(() => undefined)
    }
  }
  return {
    ...store,
    create: member('create', store.create),
    load: member('load', store.load),
    acquire: member('acquire', store.acquire),
    release: member('release', store.release),
    reserve: member('reserve', store.reserve),
    append: member('append', store.append),
    facts: member('facts', store.facts),
    hush(name) {
      hushed = name
    },
    wake() {
      hushed = undefined
    },
    async doLate() {
      const all = late
      late = []
      for (const each of all) await each()
    },
  }
}

const factsOf = async (store: FactStore): Promise<readonly string[]> =>
  (await store.facts(RUN.runId, -1, 100)).map(({ fact }) => fact.type)

const SAID = ['run_started', 'assistant_message', 'step_ended']

test.each(['at once', 'late'] as const)(
  'a commit whose append is not answered and happens %s is stored once',
  async (does) => {
    const kept = memoryStore()
    const store = silent(kept, does)
    const { hub, pass, settle } = world({ store })
    const producer = await hub.produce(RUN)
    const reader = client(await hub.attach(RUN.runId, sse))
    const writer = runWriter(RUN)
    void producer.write(writer.text('Hello'))
    await settle()
    store.hush('append')
    const stored = producer.write(writer.commit()).then(() => 'stored')
    await pass(14_000)
    expect(reader.text()).not.toContain('step_end')
    store.wake()
    await pass(2000)
    expect(await stored).toBe('stored')
    await store.doLate()
    await producer.write(writer.end())
    await settle()
    expect(reader.left).toBe('complete')
    expect(await factsOf(kept)).toEqual([...SAID, 'run_finished'])
  },
)

test('a commit without facts that was stored before its answer was lost costs no producer its run', async () => {
  const kept = memoryStore()
  const store = silent(kept, 'at once')
  const { hub, pass } = world({ store })
  const producer = await hub.produce(RUN)
  const state = { type: 'running' } as const
  await producer.commit({ messages: [], state })
  const question = { id: 'u', role: 'user', content: [{ type: 'text', text: 'and?' }] } as const
  for (const key of [undefined, 'mine']) {
    store.hush('append')
    const given = { messages: [{ ...question, id: `u-${key}` }], state }
    const done = producer.commit(given, key === undefined ? {} : { key }).catch(String)
    await pass(1000)
    store.wake()
    await pass(16_000)
    expect(await Promise.race([done, pass(1000)])).toMatchObject({ revision: key === undefined ? 2 : 3 })
  }
  await producer.write(runWriter({ ...RUN, standing: producer.standing() }).end())
  expect((await kept.steps(RUN.runId, 0, 10)).map(({ revision }) => revision)).toEqual([1, 2, 3, 4])
})

test('who produces for a store that is silent is told in time, and what is stored later is shown', async () => {
  const kept = memoryStore()
  const clock = manualClock()
  const store = silent(kept, 'late')
  const { hub, pass, settle } = world({ store, clock })
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  void producer.write(writer.text('Hello'))
  await settle()
  store.hush('append')
  const stored = producer.write(writer.commit()).catch((error: unknown) => error)
  // Four times a lease, and what lies between.
  await pass(62_000)
  expect(producer.signal.aborted).toBe(false)
  await pass(3000)
  expect(await stored).toMatchObject({ code: 'store_failed' })
  expect(producer.signal.reason).toMatchObject({ code: 'store_failed' })
  expect(hub.metrics()).toMatchObject({ storeFailures: 4, queueUnits: 0 })
  store.wake()
  await store.doLate()
  await pass(3000)
  expect(reader.text()).toContain('step_end')
  await pass(20_000)
  await settle()
  expect(reader.left).toBe('complete')
  expect(await factsOf(kept)).toEqual([...SAID, 'run_failed'])
})

test('an append that happens when the run was taken over changes nothing', async () => {
  const kept = memoryStore()
  const store = silent(kept, 'late')
  const { hub, pass } = world({ store })
  const producer = await hub.produce(RUN)
  const lost = new Promise<void>((resolve) => producer.signal.addEventListener('abort', () => resolve()))
  store.hush('append')
  void producer.write(runWriter(RUN).commit({ messages: [] })).catch(() => undefined)
  await pass(65_000)
  await lost
  store.wake()
  await pass(21_000)
  expect(await factsOf(kept)).toEqual(['run_started', 'run_failed'])
  await store.doLate()
  expect(await factsOf(kept)).toEqual(['run_started', 'run_failed'])
})

test('deltas whose numbers are never reserved are shown when it is tried again', async () => {
  const store = silent(memoryStore(), 'late')
  const { hub, pass, settle } = world({ store, limits: { reserveBlock: 2 } })
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  store.hush('reserve')
  for (const word of ['one', 'two', 'three', 'four']) void producer.write(writer.text(word))
  await settle()
  store.wake()
  await pass(14_000)
  expect(reader.text()).not.toContain('four')
  await pass(2000)
  expect(reader.text()).toContain('four')
})

test.each(['create', 'acquire'] as const)(
  'who wants to produce is told in time when %s is never answered, and may try again',
  async (name) => {
    const kept = memoryStore()
    const [store, clock] = [silent(kept, 'late'), manualClock()]
    const { hub, pass } = world({ store, clock })
    if (name === 'acquire') {
      const waiting = await world({ store: kept, clock, owner: 'there' }).hub.produce(RUN)
      await waiting.write(runWriter(RUN).await([]))
    }
    store.hush(name)
    const coming = hub.produce(RUN).catch(String)
    await pass(16_000)
    expect(await coming).toBe('Error: the store has not answered within 15000 ms')
    store.wake()
    expect((await hub.produce(RUN)).runId).toBe(RUN.runId)
  },
)

test('who asks a run to end is told in time when its record is never read', async () => {
  const store = silent(memoryStore(), 'late')
  const { hub, pass } = world({ store })
  store.hush('load')
  const asked = hub.ask(RUN.runId, { type: 'cancelled' }).catch(String)
  await pass(15_000)
  expect(await asked).toBe('Error: the store has not answered within 15000 ms')
})

test('a reader whose facts are never read is ended in time, and may come back', async () => {
  const kept = memoryStore()
  const clock = manualClock()
  const store = silent(kept, 'late')
  const { hub, pass, settle } = world({ store, clock, limits: { recentFacts: 1, windowBytes: 1 } })
  const producer = await hub.produce(RUN)
  const writer = runWriter(RUN)
  for (const word of ['one', 'two', 'three']) {
    void producer.write(writer.text(word))
    await producer.write(writer.commit())
    await settle()
  }
  store.hush('facts')
  const comesBack = async (): Promise<ReturnType<typeof client>> =>
    client(await hub.attach(RUN.runId, sse, { lastEventId: '0' }))
  const reader = await comesBack()
  await pass(14_000)
  expect(reader.left).toBeUndefined()
  await pass(2000)
  expect(reader.left).toBe('closed')
  store.wake()
  const again = await comesBack()
  await settle()
  expect(again.text()).toContain('three')
})

test.each(['never answers', 'fails'])(
  'a hub closes in time, and all its runs with it, where release %s',
  async (how) => {
    const kept = memoryStore()
    const release = (runId: string, epoch: number, next: number): Promise<void> => {
      if (runId !== RUN.runId) return kept.release(runId, epoch, next)
      return how === 'fails' ? Promise.reject(new Error('busy')) : new Promise(() => undefined)
    }
    const { hub, pass, errors } = world({ store: { ...kept, release } })
    const bad = await hub.produce(RUN)
    await hub.produce({ ...RUN, runId: 'good' })
    const closing = hub.close().then(() => 'closed', String)
    await pass(11_000)
    expect(await Promise.race([closing, pass(1000)])).toBe('closed')
    expect(hub.metrics()).toMatchObject({ runs: 0, queueUnits: 0, threadUnits: 0 })
    expect((await kept.load('good'))?.lease.until).toBe(0)
    await expect(bad.commit({ messages: [], state: { type: 'running' } })).rejects.toMatchObject({ code: 'run_taken' })
    await pass(10_000)
    expect(errors.map(String)).toHaveLength(1)
  },
)
