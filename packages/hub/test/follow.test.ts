/** A run that another process produces: facts from the store, deltas over a bus. */
import type { LiveRun } from '@factwire/conformance'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { subject } from '../../sse/test/subject.ts'
import { runWriter } from '@factwire/core'
import { type LiveBus, memoryBus, memoryStore } from '../src/index.ts'
import { manualClock } from '../src/testing.ts'
import { conversation, RUN } from './conversation.ts'
import { client, gated, world } from './world.ts'

test('a reader in another process sees what is live there', async () => {
  const [store, clock, bus] = [memoryStore(), manualClock(), memoryBus()]
  const [here, there] = [world({ store, clock, bus }), world({ store, clock, bus })]
  const producer = await here.hub.produce(RUN)
  const near = client(await here.hub.attach(RUN.runId, sse))
  const far = client(await there.hub.attach(RUN.runId, sse))
  await here.settle()
  const writer = runWriter(RUN)
  void producer.write(writer.text('Hel'))
  await here.settle()
  void producer.write(writer.text('lo'))
  await here.settle()
  expect(far.text()).toContain('"lo"')
  void producer.write(writer.end())
  await here.settle()
  expect([near.left, far.left]).toEqual(['complete', 'complete'])
  expect(far.text()).toBe(near.text())
})

test('who comes in the middle of a step is told it from its beginning', async () => {
  const [store, clock, bus] = [memoryStore(), manualClock(), memoryBus()]
  const [here, there] = [world({ store, clock, bus }), world({ store, clock, bus })]
  const producer = await here.hub.produce(RUN)
  void producer.write(runWriter(RUN).text('So far. '))
  await here.settle()
  const far = client(await there.hub.attach(RUN.runId, sse))
  await here.settle()
  expect(far.text()).toContain('So far. ')
})

test('without a bus facts come all the same, a moment later', async () => {
  const [store, clock] = [memoryStore(), manualClock()]
  const [here, there] = [world({ store, clock }), world({ store, clock })]
  const producer = await here.hub.produce(RUN)
  const far = client(await there.hub.attach(RUN.runId, sse))
  for (const say of conversation()) void producer.write(say())
  await here.settle()
  await here.pass(2000)
  expect(far.left).toBe('complete')
  expect(far.text()).toContain('22 °C')
})

test('a number that was given out in another process is a position here', async () => {
  const [store, clock, bus] = [memoryStore(), manualClock(), memoryBus()]
  const [here, there] = [world({ store, clock, bus }), world({ store, clock, bus })]
  const producer = await here.hub.produce(RUN)
  const writer = runWriter(RUN)
  void producer.write(writer.text('a'))
  await here.settle()
  const near = client(await here.hub.attach(RUN.runId, sse))
  const seen = [...near.text().matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ''
  const far = client(await there.hub.attach(RUN.runId, sse, { lastEventId: seen }))
  void producer.write(writer.end())
  await here.settle()
  expect(far.left).toBe('complete')
  const stage = { run: { script: [] } as unknown as LiveRun, context: RUN }
  const view = await subject.view(far.text(), { ...stage, had: near.text().slice(0, near.text().indexOf('"a"') + 8) })
  expect(view.turns).toMatchObject([{ text: 'a' }])
})

test('of deltas that were seen in another process and are not known here nothing is told twice', async () => {
  const [store, clock] = [memoryStore(), manualClock()]
  const [here, there] = [world({ store, clock }), world({ store, clock })]
  const producer = await here.hub.produce(RUN)
  const near = client(await here.hub.attach(RUN.runId, sse))
  // It follows the run, and without a bus it hears of facts alone.
  client(await there.hub.attach(RUN.runId, sse)).reading.leave()
  const writer = runWriter(RUN)
  void producer.write(writer.text('One. '))
  void producer.write(writer.commit())
  await there.pass(2000)
  void producer.write(writer.text('Two. '))
  await here.settle()
  const had = near.text()
  const seen = [...had.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ''
  const back = client(await there.hub.attach(RUN.runId, sse, { lastEventId: seen }))
  void producer.write(writer.end())
  await there.pass(2000)
  expect(back.left).toBe('complete')
  expect(back.text()).toMatch(/^data: {"event_type":"stream_reset"/)
  const stage = { run: { script: [] } as unknown as LiveRun, context: RUN }
  const { turns, warnings } = await subject.view(back.text(), { ...stage, had })
  expect({ texts: turns.map(({ text }) => text), warnings }).toEqual({ texts: ['One. ', 'Two. '], warnings: [] })
})

const seenIn = (had: string): string => [...had.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ''
const textsOf = async (body: string, had: string): Promise<readonly string[]> => {
  const stage = { run: { script: [] } as unknown as LiveRun, context: RUN }
  return (await subject.view(body, { ...stage, had })).turns.map(({ text }) => text)
}

test('who saw half a message of a process that died sees it go, also where others read the run before', async () => {
  const [kept, clock] = [memoryStore(), manualClock()]
  const dying = gated(kept)
  dying.open()
  const [here, there] = [world({ store: dying, clock }), world({ store: kept, clock })]
  const producer = await here.hub.produce(RUN)
  const near = client(await here.hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  void producer.write(writer.text('One. '))
  void producer.write(writer.commit())
  await here.settle()
  const quicker = client(await there.hub.attach(RUN.runId, sse))
  void producer.write(writer.text('Two, '))
  await here.settle()
  void producer.write(writer.text('and '))
  await here.settle()
  dying.kill()
  await there.pass(60_000)
  expect(quicker.left).toBe('complete')
  const had = near.text()
  const back = client(await there.hub.attach(RUN.runId, sse, { lastEventId: seenIn(had) }))
  await there.settle()
  expect(back.left).toBe('complete')
  expect(await textsOf(back.text(), had)).toEqual(['One. '])
})

test('who saw of a message what another process never heard sees it once there', async () => {
  const [store, clock, bus] = [memoryStore(), manualClock(), memoryBus()]
  let deaf = false
  const publish: LiveBus['publish'] = (runId, message) => {
    if (!deaf || message.type !== 'deltas') bus.publish(runId, message)
  }
  const [here, there] = [world({ store, clock, bus: { ...bus, publish } }), world({ store, clock, bus })]
  const producer = await here.hub.produce(RUN)
  const near = client(await here.hub.attach(RUN.runId, sse))
  client(await there.hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  const say = async (...words: readonly ReturnType<typeof writer.text>[]): Promise<void> => {
    for (const each of words) {
      void producer.write(each)
      await here.settle()
    }
  }
  await say(writer.text('One. '), writer.commit())
  deaf = true
  await say(writer.text('Two, '), writer.text('and '))
  const had = near.text()
  await say(writer.text('some '))
  deaf = false
  await say(writer.text('more.'))
  const early = client(await there.hub.attach(RUN.runId, sse, { lastEventId: seenIn(had) }))
  await there.settle()
  await say(writer.commit())
  const late = client(await there.hub.attach(RUN.runId, sse, { lastEventId: seenIn(had) }))
  await say(writer.end())
  for (const back of [early, late]) {
    expect(back.left).toBe('complete')
    expect(await textsOf(back.text(), had)).toEqual(['One. ', 'Two, and some more.'])
  }
})

test('who comes back to a process that has read nothing of the run yet sees it once', async () => {
  const [store, clock] = [memoryStore(), manualClock()]
  const [here, there] = [world({ store, clock }), world({ store, clock })]
  const producer = await here.hub.produce(RUN)
  client(await there.hub.attach(RUN.runId, sse))
  await there.settle()
  const near = client(await here.hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  void producer.write(writer.text('One. '))
  void producer.write(writer.commit({ inference: { model: 'm', duration_ms: 1 } }))
  await here.settle()
  const had = near.text()
  const back = client(await there.hub.attach(RUN.runId, sse, { lastEventId: seenIn(had) }))
  void producer.write(writer.end())
  await there.pass(2000)
  expect(back.left).toBe('complete')
  expect(await textsOf(back.text(), had)).toEqual(['One. '])
  expect(`${had}${back.text()}`.match(/run_start/g)).toHaveLength(1)
})

test('behind what the bus has lost nothing more of the step is shown, so that a number is true in every process', async () => {
  const [store, clock, bus] = [memoryStore(), manualClock(), memoryBus()]
  let loses = false
  const publish: LiveBus['publish'] = (runId, message) => {
    if (!loses || message.type !== 'deltas') bus.publish(runId, message)
  }
  const [here, there] = [world({ store, clock, bus: { ...bus, publish } }), world({ store, clock, bus })]
  const producer = await here.hub.produce(RUN)
  client(await here.hub.attach(RUN.runId, sse))
  const far = client(await there.hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  void producer.write(writer.commit())
  await here.settle()
  loses = true
  void producer.write(writer.text('It is '))
  await here.settle()
  loses = false
  void producer.write(writer.toolCall('c', 'look', '{"q":1}'))
  await here.settle()
  const had = far.text()
  expect(had).not.toContain('tool_call')
  const back = client(await here.hub.attach(RUN.runId, sse, { lastEventId: seenIn(had) }))
  void producer.write(writer.commit())
  void producer.write(writer.toolResult('c', 'seen'))
  void producer.write(writer.end())
  await here.settle()
  expect([back.left, far.left]).toEqual(['complete', 'complete'])
  expect(await textsOf(back.text(), had)).toEqual(['It is '])
  expect(await textsOf(far.text(), '')).toEqual(['It is '])
})

test('who comes in the middle is told what a tool has printed once, however often others come', async () => {
  const [store, clock, bus] = [memoryStore(), manualClock(), memoryBus()]
  const worlds = [0, 1, 2].map(() => world({ store, clock, bus }))
  const [here, one, two] = worlds
  if (!here || !one || !two) throw new Error('three processes')
  const producer = await here.hub.produce(RUN)
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('c', 'look', '{}'))
  void producer.write(writer.commit())
  void producer.write(writer.toolOutput('c', 'ONE '))
  await here.settle()
  const first = client(await one.hub.attach(RUN.runId, sse))
  await here.settle()
  void producer.write(writer.toolOutput('c', 'TWO '))
  const second = client(await two.hub.attach(RUN.runId, sse))
  await here.settle()
  void producer.write(writer.toolOutput('c', 'THREE'))
  await here.settle()
  const printed = [first, second].map(({ text }) =>
    [...text().matchAll(/"tool_call_stream_delta"[^\n]*"delta":"([^"]*)"/g)].map(([, delta]) => delta).join(''),
  )
  expect(printed).toEqual(['ONE TWO THREE', 'ONE TWO THREE'])
})

test('nor over a commit that leaves open the message of which something was lost', async () => {
  const [store, clock, bus] = [memoryStore(), manualClock(), memoryBus()]
  let loses = true
  const publish: LiveBus['publish'] = (runId, message) => {
    if (!loses || message.type !== 'deltas') bus.publish(runId, message)
  }
  const [here, there] = [world({ store, clock, bus: { ...bus, publish } }), world({ store, clock, bus })]
  const producer = await here.hub.produce(RUN)
  const near = client(await here.hub.attach(RUN.runId, sse))
  client(await there.hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  void producer.write(writer.text('It is '))
  await here.settle()
  void producer.commit({ messages: [], inference: { model: 'm', duration_ms: 1 }, state: { type: 'running' } })
  await here.settle()
  const early = near.text()
  loses = false
  void producer.write(writer.toolCall('c', 'look', '{"q":1}'))
  await here.settle()
  const had = [early, near.text()]
  const backs = await Promise.all(
    had.map(async (each) => client(await there.hub.attach(RUN.runId, sse, { lastEventId: seenIn(each) }))),
  )
  void producer.write(writer.commit())
  void producer.write(writer.toolResult('c', 'seen'))
  void producer.write(writer.end())
  await here.settle()
  for (const [index, { left, text }] of backs.entries()) {
    expect(left).toBe('complete')
    expect(await textsOf(text(), had[index] ?? '')).toEqual(['It is '])
  }
})
