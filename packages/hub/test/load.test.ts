/** Many readers, some of whom read nothing: no fact is missing, and what is held is bounded. `npm run load` does it with sockets. */
import { runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { memoryStore } from '../src/index.ts'
import { RUN } from './conversation.ts'
import { type Client, client, world } from './world.ts'

const READERS = 1000
const STALLED = 50
const STEPS = 40
const DELTAS = 100

const idsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
const textsIn = (text: string): string =>
  [...text.matchAll(/"text_delta","delta":"([^"]*)"/g)].map(([, words]) => words).join('')

test('of 1,000 readers 50 stall through 4,000 deltas: every fact comes once, the text is whole, memory is bounded', async () => {
  const store = memoryStore()
  const { hub, settle, errors } = world({ store })
  const { limits } = hub.metrics()
  const producer = await hub.produce(RUN)
  const readers: Client[] = []
  for (let index = 0; index < READERS; index++) readers.push(client(await hub.attach(RUN.runId, sse)))
  const stalled = readers.slice(0, STALLED)
  for (const each of stalled) each.stall()

  const writer = runWriter(RUN)
  let said = ''
  let most = 0
  for (let step = 0; step < STEPS; step++) {
    for (let delta = 0; delta < DELTAS; delta++) {
      const words = `step ${step}, delta ${delta}: ${'x'.repeat(60)} `
      said += words
      void producer.write(writer.text(words))
      if (delta % 20 === 19) await settle()
    }
    void producer.write(writer.commit())
    await settle()
    const { windowBytes, openUnits, queueUnits } = hub.metrics()
    most = Math.max(most, windowBytes + openUnits + queueUnits)
  }
  void producer.write(writer.end())
  for (const each of stalled) each.go()
  await settle()

  expect(said.length).toBeGreaterThan(limits.windowBytes)
  expect(most).toBeLessThan(limits.windowBytes + DELTAS * 200)
  const facts = (await store.facts(RUN.runId, -1, 10_000)).map(({ seq, fact }) => ({ seq, type: fact.type }))
  const ends = facts.filter(({ type }) => type === 'step_ended').map(({ seq }) => seq)
  expect(ends).toHaveLength(STEPS)
  // Those who stalled, and some of the others.
  for (const each of [...stalled, ...readers.slice(-50)]) {
    const text = each.text()
    const ids = idsIn(text)
    expect(each.left).toBe('complete')
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
    expect(ends.every((seq) => ids.includes(seq))).toBe(true)
    expect(textsIn(text)).toBe(said)
  }
  const { fellBehind, deltasSkipped, readers: left, behind } = hub.metrics()
  expect({ fellBehind, left, behind }).toEqual({ fellBehind: STALLED, left: 0, behind: 0 })
  expect(deltasSkipped).toBeGreaterThan(STALLED * 1000)
  expect(errors).toEqual([])
}, 120_000)
