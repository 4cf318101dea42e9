import { runWriter } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { type FactStore, memoryStore, type Sink } from '../src/index.ts'
import { conversation, longAnswer, RUN } from './conversation.ts'
import { client, world } from './world.ts'

test('what comes in one tick is one write, and the same bytes for every reader', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  const got: Uint8Array[][] = [[], []]
  for (const parts of got) {
    const attached = await hub.attach(RUN.runId, sse)
    if (attached.type === 'stream') attached.pipe({ write: (bytes) => void parts.push(bytes), end: () => undefined })
  }
  const writer = runWriter(RUN)
  void producer.write(writer.text('a'))
  await settle()
  for (const word of ['b', 'c', 'd', 'e']) void producer.write(writer.text(word))
  await settle()
  expect(got.map((parts) => parts.length)).toEqual([2, 2])
  expect(got[0]?.[1]).toBe(got[1]?.[1])
})

test('a pause between writes gathers what comes meanwhile, and the first after a rest waits for nothing', async () => {
  const { hub, settle, clock } = world({ limits: { flushMs: 20 } })
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  clock.advance(1000)
  void producer.write(writer.text('a'))
  await settle()
  expect(reader.text()).toContain('"a"')
  void producer.write(writer.text('b'))
  await settle()
  expect(reader.text()).not.toContain('"b"')
  clock.advance(20)
  expect(reader.text()).toContain('"b"')
})

test('readers with the same options share an encoder, and other options have their own', async () => {
  const { hub, settle } = world()
  let encoders = 0
  const counted: typeof openaiChat = {
    ...openaiChat,
    transcoder(...args) {
      encoders++
      return openaiChat.transcoder(...args)
    },
  }
  const producer = await hub.produce(RUN)
  for (const transcoder of [{ includeUsage: true }, { includeUsage: true }, { includeUsage: false }, {}]) {
    client(await hub.attach(RUN.runId, counted, { transcoder, onLeave: 'keep' }))
  }
  void producer.write(runWriter(RUN).text('a'))
  await settle()
  // One made when the reader came, one for the segment.
  expect(encoders).toBe(6)
})

test('a reader that stalls skips deltas, and gets one catch-up and every fact', async () => {
  const { hub, settle } = world({ limits: { windowBytes: 2000 } })
  const producer = await hub.produce(RUN)
  const [slow, fast] = [client(await hub.attach(RUN.runId, sse)), client(await hub.attach(RUN.runId, sse))]
  slow.stall()
  const writer = runWriter(RUN)
  const words = longAnswer(writer, 400)
  for (const say of words) {
    void producer.write(say())
    await settle()
  }
  expect(fast.text()).toContain('word 399')
  expect(slow.text()).not.toContain('word 5 ')
  slow.go()
  await settle()
  // One delta holds all that was missed of the open step.
  const catchUp = slow
    .text()
    .split('\n\n')
    .filter((frame) => frame.includes('text_delta'))
  expect(catchUp.length).toBeLessThan(5)
  expect(catchUp.at(-1)).toContain('word 399')
  const metrics = hub.metrics()
  expect(metrics).toMatchObject({ fellBehind: 1, behind: 1, deltasSkipped: 0 })
  expect(metrics.catchUpBytes).toBeGreaterThan(3000)

  void producer.write(writer.commit())
  await settle()
  expect(hub.metrics()).toMatchObject({ cameBack: 1, behind: 0 })
  void producer.write(writer.text('Again.'))
  void producer.write(writer.end())
  await settle()
  expect(slow.text().endsWith(fast.text().slice(fast.text().indexOf('"Again."')))).toBe(true)
  expect([slow.left, fast.left]).toEqual(['complete', 'complete'])
})

test('who is back at the shared bytes and falls behind again misses nothing of the step that had begun meanwhile', async () => {
  const { hub, settle } = world({ limits: { windowBytes: 600 } })
  const producer = await hub.produce(RUN)
  const slow = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  let said = ''
  const say = (words: string): void => {
    said += words
    void producer.write(writer.text(words))
  }
  const sayMany = async (): Promise<void> => {
    for (let index = 0; index < 30; index++) {
      say(`word ${index} `)
      await settle()
    }
  }
  slow.stall()
  await sayMany()
  slow.go()
  await settle()
  slow.stall()
  void producer.write(writer.commit())
  // In the same tick: when the reader comes back, the run has gone on.
  say('Next. ')
  await settle()
  expect(hub.metrics()).toMatchObject({ cameBack: 1, behind: 0 })
  await sayMany()
  slow.go()
  await settle()
  expect(hub.metrics().fellBehind).toBe(2)
  void producer.write(writer.end())
  await settle()
  const texts = [...slow.text().matchAll(/"text_delta","delta":"([^"]*)"/g)].map(([, words]) => words)
  expect(texts.join('')).toBe(said)
})

test('deltas of steps that are over are skipped for who was behind', async () => {
  const { hub, settle } = world({ limits: { windowBytes: 500, recentFacts: 2, pageFacts: 2 } })
  const producer = await hub.produce(RUN)
  const slow = client(await hub.attach(RUN.runId, sse))
  slow.stall()
  const writer = runWriter(RUN)
  for (let step = 0; step < 5; step++) {
    for (const say of longAnswer(writer, 20)) void producer.write(say())
    void producer.write(writer.commit())
    await settle()
  }
  slow.go()
  await settle()
  const metrics = hub.metrics()
  // The facts of four steps, and of each its deltas but the first ones that were written before it stalled.
  expect(metrics.factsBehind).toBeGreaterThanOrEqual(8)
  expect(metrics.deltasSkipped).toBeGreaterThan(60)
  for (let step = 0; step < 5; step++)
    expect(slow.text().match(new RegExp(`"run-1-assistant-${step}"`, 'g'))).toHaveLength(1)
})

test('a reader that takes nothing for too long is ended, and may come back where it was', async () => {
  const { hub, settle, pass } = world()
  const producer = await hub.produce(RUN)
  const writer = runWriter(RUN)
  const stuck = client(await hub.attach(RUN.runId, sse))
  const idle = client(await hub.attach(RUN.runId, sse))
  stuck.stall()
  void producer.write(writer.text('a'))
  await settle()
  await pass(29_000)
  expect(stuck.left).toBeUndefined()
  await pass(2000)
  expect([stuck.left, stuck.ended, idle.left]).toEqual(['blocked', true, undefined])
  expect(hub.metrics()).toMatchObject({ blockedEnded: 1, readers: 1 })
  void producer.write(writer.text('b'))
  await settle()
  const back = client(await hub.attach(RUN.runId, sse, { lastEventId: '2' }))
  expect(back.text()).toBe('id: 3\ndata: {"event_type":"text_delta","delta":"b"}\n\n')
})

test('an idle reader hears that somebody is there, between frames, and a busy one does not', async () => {
  const { hub, settle, pass } = world({ limits: { heartbeatMs: 10_000 } })
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  for (let second = 0; second < 12; second++) {
    void producer.write(writer.text(`${second}`))
    await pass(1000)
  }
  expect(reader.text()).not.toContain('heartbeat')
  await pass(21_000)
  expect(reader.text().match(/\n\n: heartbeat\n: heartbeat\n$/)).not.toBeNull()
  void producer.write(writer.text('x'))
  await settle()
  expect(reader.text().endsWith('heartbeat\nid: 14\ndata: {"event_type":"text_delta","delta":"x"}\n\n')).toBe(true)
})

test('the bytes that are kept are bounded, for one run and for all', async () => {
  const { hub, settle } = world({ limits: { windowBytes: 3000, totalWindowBytes: 5000 } })
  let most = 0
  for (const runId of ['a', 'b', 'c']) {
    const producer = await hub.produce({ threadId: 't', runId })
    client(await hub.attach(runId, sse)).stall()
    const writer = runWriter({ runId })
    for (const say of longAnswer(writer, 100)) {
      void producer.write(say())
      await settle()
      most = Math.max(most, hub.metrics().windowBytes)
    }
  }
  expect(most).toBeGreaterThan(4000)
  expect(most).toBeLessThanOrEqual(5000)
})

test('of a step that is too long no more is shown before its facts', async () => {
  const { hub, settle } = world({ limits: { openUnits: 1000 } })
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  for (const say of longAnswer(writer, 500)) void producer.write(say())
  await settle()
  expect(hub.metrics().openUnits).toBeLessThan(1100)
  expect(reader.text()).not.toContain('word 300')
  void producer.write(writer.commit())
  void producer.write(writer.text('Next.'))
  await settle()
  const texts = [...reader.text().matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta).join('')
  expect(texts).toBe(Array.from({ length: 500 }, (_none, index) => `word ${index} `).join('') + 'Next.')
})

test('a reader whose store cannot be read is ended, and others go on', async () => {
  const kept = memoryStore()
  const store: FactStore = { ...kept, facts: () => Promise.reject(new Error('no disk')) }
  const { hub, settle, errors } = world({ store, limits: { windowBytes: 1, recentFacts: 1 } })
  const producer = await hub.produce(RUN)
  const [slow, fast] = [client(await hub.attach(RUN.runId, sse)), client(await hub.attach(RUN.runId, sse))]
  slow.stall()
  for (const say of conversation()) {
    void producer.write(say())
    await settle()
  }
  slow.go()
  await settle()
  expect([slow.left, fast.left]).toEqual(['closed', 'complete'])
  expect(errors).toMatchObject([{ message: 'no disk' }])
})

test('a sink that fails is a reader that has left', async () => {
  const { hub, settle, errors } = world()
  const producer = await hub.produce(RUN)
  const attached = await hub.attach(RUN.runId, sse)
  if (attached.type !== 'stream') throw new Error('no stream')
  const reading = attached.pipe({ write: () => Promise.reject(new Error('reset')), end: () => undefined })
  void producer.write(runWriter(RUN).text('a'))
  await settle()
  expect(await reading.done).toBe('left')
  expect(hub.metrics().readers).toBe(0)
  expect(errors).toEqual([])
})

test('readers that come back all at once share what is read for them', async () => {
  const kept = memoryStore()
  let reads = 0
  const store: FactStore = {
    ...kept,
    facts(...args) {
      reads++
      return kept.facts(...args)
    },
    steps: () => Promise.reject(new Error('where they stand is known')),
  }
  const { hub, settle, errors } = world({ store, limits: { windowBytes: 1, recentFacts: 1, pageFacts: 10 } })
  const producer = await hub.produce(RUN)
  const first = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  for (let step = 0; step < 40; step++) {
    void producer.write(writer.text(`step ${step}`))
    void producer.write(writer.commit())
    await settle()
  }
  const [seen] = [...first.text().matchAll(/^id: (\d+)\ndata: {"event_type":"step_end"/gm)].map(([, id]) => id)
  const readers = await Promise.all(
    Array.from({ length: 200 }, async () => client(await hub.attach(RUN.runId, sse, { lastEventId: `${seen}` }))),
  )
  await settle()
  void producer.write(writer.end())
  await settle()
  expect(new Set(readers.map(({ left }) => left))).toEqual(new Set(['complete']))
  expect(new Set(readers.map(({ text }) => text())).size).toBe(1)
  expect(readers[0]?.text().match(/"step_end"/g)).toHaveLength(39)
  const facts = (await kept.facts(RUN.runId, -1, 1000)).length
  expect(reads).toBeLessThan(facts / 10 + 3)
  expect(errors).toEqual([])
})

test('a sink that throws costs its reader, and nothing of the hub', async () => {
  const { hub, settle, pass, errors } = world({ limits: { readers: 2 } })
  const producer = await hub.produce(RUN)
  const attach = async (sink: Sink): Promise<void> => {
    const attached = await hub.attach(RUN.runId, sse)
    if (attached.type === 'stream') attached.pipe(sink)
  }
  const fail = (): never => {
    throw new Error('gone')
  }
  let count = 0
  await attach({ write: () => undefined, end: fail })
  // It takes the first bytes, and no heartbeat.
  await attach({ write: () => (count++ > 0 ? fail() : undefined), end: fail })
  void producer.write(runWriter(RUN).text('a'))
  await settle()
  expect(hub.metrics().readers).toBe(2)
  await pass(20_000)
  expect([hub.metrics().readers, errors.map(String)]).toEqual([1, ['Error: gone', 'Error: gone']])
  await producer.commit({ messages: [], state: { type: 'ended', cause: { type: 'natural_end' } } })
  await settle()
  expect(hub.metrics().readers).toBe(0)
  const late = client(await hub.attach(RUN.runId, sse))
  await settle()
  expect(late.left).toBe('complete')
})

test.each(['text_delta', 'run_finished'])(
  'a wire that throws at %s is nothing to the run, and ends its own readers',
  async (at) => {
    const { hub, settle, errors } = world()
    const producer = await hub.produce(RUN)
    const writer = runWriter(RUN)
    const good = client(await hub.attach(RUN.runId, sse))
    const faulty: typeof sse = {
      ...sse,
      transcoder(...args) {
        const { fact, delta, settled, close } = sse.transcoder(...args)
        const fails = (type: string): void => {
          if (type === at) throw new Error('a fault of the wire')
        }
        return {
          fact(each) {
            fails(each.type)
            return fact(each)
          },
          delta(each) {
            fails(each.type)
            return delta(each)
          },
          settled,
          close,
        }
      },
    }
    const bad = client(await hub.attach(RUN.runId, faulty))
    await settle()
    void producer.write(writer.text('Hello. '))
    await settle()
    await producer.write(writer.end())
    await settle()
    expect([good.left, bad.left]).toEqual(['complete', 'closed'])
    expect(errors).toMatchObject([{ message: 'a fault of the wire' }])
  },
)
