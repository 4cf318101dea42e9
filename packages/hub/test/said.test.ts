import type { Message } from '@factwire/core'
import { runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { memoryStore, type FactStore } from '../src/index.ts'
import { manualClock } from '../src/testing.ts'
import { RUN } from './conversation.ts'
import { client, gated, world } from './world.ts'

const user = (text: string): Message => ({ id: `said-${text}`, role: 'user', content: [{ type: 'text', text }] })
const said = async (): Promise<readonly Message[]> => [user('had'), user('new')]

/** What the thread of the run ends with, and how the run ended. */
async function told(store: FactStore): Promise<readonly unknown[]> {
  const steps = await store.steps(RUN.runId, 0, 100)
  const words = steps.flatMap(({ commit }) =>
    commit.messages.map(({ role, id }) => (role === 'user' ? id : role === 'tool' ? 'result' : role)),
  )
  const { state } = steps.at(-1)?.after ?? {}
  return [...words, state?.type === 'ended' ? state.cause.type : state?.type]
}

test('a run that waits and is cancelled has what was said to it, behind the results', async () => {
  const store = memoryStore()
  const { hub, settle } = world({ store, said })
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  await producer.write(writer.commit({ messages: [user('had')] }))
  void producer.write(writer.toolCall('c', 'ask', '{}', 'pending_client'))
  await producer.write(writer.await())
  expect(await hub.ask(RUN.runId, { type: 'cancelled' })).toBe(true)
  await settle()
  expect(await told(store)).toEqual(['said-had', 'assistant', 'result', 'said-new', 'cancelled'])
  expect(reader.left).toBe('complete')
  const facts = (await store.facts(RUN.runId, -1, 100)).map(({ fact }) => fact)
  const detail = { messages: ['said-new'] }
  expect(facts).toContainEqual({ type: 'continuation', steered: true, detail, messages: [user('new')] })
})

test('a run whose producer is lost has what was said to it', async () => {
  const [kept, clock] = [memoryStore(), manualClock()]
  const dying = gated(kept)
  dying.open()
  const first = world({ store: dying, clock, owner: 'first', said })
  const producer = await first.hub.produce(RUN)
  await producer.write(runWriter(RUN).commit({ messages: [user('had')] }))
  dying.kill()
  const second = world({ store: kept, clock, owner: 'second', said })
  await second.pass(30_000)
  expect(await told(kept)).toEqual(['said-had', 'said-new', 'error'])
})

test('a run whose producer does not end it has what was said to it', async () => {
  const store = memoryStore()
  const { hub, pass } = world({ store, said })
  const producer = await hub.produce(RUN)
  await producer.write(runWriter(RUN).commit({ messages: [user('had')] }))
  await hub.ask(RUN.runId, { type: 'cancelled' })
  await pass(11_000)
  expect(await told(store)).toEqual(['said-had', 'said-new', 'cancelled'])
})

test('where nobody can tell what was said, the run is left as it was, and ended later', async () => {
  const store = memoryStore()
  let isDown = true
  const telling = async (): Promise<readonly Message[]> => {
    if (isDown) throw new Error('journal down')
    return said()
  }
  const { hub, pass, errors } = world({ store, said: telling })
  const producer = await hub.produce(RUN)
  await producer.write(runWriter(RUN).await([]))
  await expect(hub.ask(RUN.runId, { type: 'cancelled' })).rejects.toThrow('journal down')
  expect(await told(store)).toEqual(['awaiting'])
  const again = await hub.produce(RUN)
  await again.commit({ messages: [], state: { type: 'running' } })
  await hub.ask(RUN.runId, { type: 'cancelled' })
  await pass(25_000)
  expect(await told(store)).toEqual(['running'])
  expect(errors.map(String)).toEqual(['Error: journal down', 'Error: journal down'])
  isDown = false
  await pass(11_000)
  expect(await told(store)).toEqual(['said-had', 'said-new', 'cancelled'])
})
