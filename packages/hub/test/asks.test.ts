/** A run that another process produces, or nobody any more, and that somebody asks to end: once that was taken, it ends. */
import { runWriter } from '@factwire/core'
import { expect, test } from 'vitest'
import { type FactStore, type LiveBus, type LiveMessage, memoryBus, memoryStore } from '../src/index.ts'
import { type ManualClock, manualClock } from '../src/testing.ts'
import { RUN } from './conversation.ts'
import { gated, type GatedStore, world, type World } from './world.ts'

/** How asks fare: they arrive, wait until they are let go, or are lost. */
type Fate = 'arrives' | 'waits' | 'lost'

interface Two {
  readonly store: FactStore
  readonly clock: ManualClock
  /** The store as the process that produces has it. */
  readonly dying: GatedStore
  readonly here: World
  readonly there: World
  fate: Fate
  letGo(): void
  ended(): Promise<unknown>
}

function two(fate: Fate): Two {
  const [store, clock, bus] = [memoryStore(), manualClock(), memoryBus()]
  const dying = gated(store)
  dying.open()
  const waiting: (() => void)[] = []
  const publish = (runId: string, message: LiveMessage): void => {
    const send = (): void => bus.publish(runId, message)
    if (message.type !== 'ask' || made.fate === 'arrives') send()
    else if (made.fate === 'waits') waiting.push(send)
  }
  const asking: LiveBus = { ...bus, publish }
  const made: Two = {
    store,
    clock,
    dying,
    here: world({ store: dying, clock, bus, owner: 'here' }),
    there: world({ store, clock, bus: asking, owner: 'there' }),
    fate,
    letGo() {
      for (const send of waiting.splice(0)) send()
    },
    async ended() {
      const { state } = (await store.load(RUN.runId))?.standing ?? {}
      return state?.type === 'ended' ? state.cause.type : state?.type
    },
  }
  return made
}

/** A run that waits for its client right after it was asked to end. */
async function waits(made: Two): Promise<void> {
  const producer = await made.here.hub.produce(RUN)
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('c', 'ask', '{}', 'pending_client'))
  await made.here.settle()
  expect(await made.there.hub.ask(RUN.runId, { type: 'cancelled' })).toBe(true)
  await producer.write(writer.await())
  await made.here.settle()
}

test('an ask that comes behind the commit with which the run waits ends it at once', async () => {
  const made = two('waits')
  await waits(made)
  expect(await made.ended()).toBe('awaiting')
  made.letGo()
  await made.here.settle()
  expect(await made.ended()).toBe('cancelled')
})

test('it does so where whoever asked is gone by then', async () => {
  const made = two('waits')
  await waits(made)
  await made.there.hub.close()
  made.letGo()
  await made.here.settle()
  expect(await made.ended()).toBe('cancelled')
})

test('an ask that was lost on its way is sent again, and ends a run that waits by then', async () => {
  const made = two('lost')
  await waits(made)
  await made.there.pass(11_000)
  expect(await made.ended()).toBe('cancelled')
  await made.there.hub.close()
  expect([...made.here.errors, ...made.there.errors]).toEqual([])
})

test('it is heard by a producer that goes on with the run', async () => {
  const made = two('lost')
  await waits(made)
  const next = await made.here.hub.produce(RUN)
  const writer = runWriter({ runId: RUN.runId, standing: next.standing(), history: next.messages() })
  await next.write(writer.toolResult('c', 'yes'))
  await made.there.pass(5000)
  made.fate = 'arrives'
  await made.there.pass(6000)
  expect(next.signal.reason).toEqual({ type: 'cancelled' })
  await next.write(writer.end(next.signal.reason))
  await made.there.pass(30_000)
  expect(await made.ended()).toBe('cancelled')
})

test('a run ends that was asked to, and whose process died between its wait and its end', async () => {
  const made = two('arrives')
  const producer = await made.here.hub.produce(RUN)
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('c', 'ask', '{}', 'pending_client'))
  await made.here.settle()
  expect(await made.there.hub.ask(RUN.runId, { type: 'cancelled' })).toBe(true)
  await made.here.settle()
  expect(producer.signal.aborted).toBe(true)
  await producer.write(writer.await())
  made.dying.kill()
  await made.there.pass(30_000)
  expect(await made.ended()).toBe('cancelled')
})

test('a run that was asked to end, and whose producer died, is asked no more once it is ended as lost', async () => {
  const made = two('lost')
  const producer = await made.here.hub.produce(RUN)
  void producer.write(runWriter(RUN).text('a'))
  await made.here.settle()
  expect(await made.there.hub.ask(RUN.runId, { type: 'cancelled' })).toBe(true)
  made.dying.kill()
  await made.there.pass(40_000)
  expect(await made.ended()).toBe('error')
  const { steps, load } = made.store
  const before = await steps(RUN.runId, 0, 100)
  await made.there.pass(60_000)
  expect(await steps(RUN.runId, 0, 100)).toEqual(before)
  expect((await load(RUN.runId))?.lease.epoch).toBe(2)
})
