import { agUi } from '@factwire/ag-ui'
import { type Encodable, runWriter } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { answer, memoryStore } from '../src/index.ts'
import { conversation, RUN } from './conversation.ts'
import { client, gated, world } from './world.ts'

test.each(['-1', '1.5', 'abc', '1e3', ' 1', '1'.repeat(16)])('%s is no position', async (lastEventId) => {
  const { hub } = world()
  await hub.produce(RUN)
  expect((await hub.attach(RUN.runId, sse, { lastEventId })).type).toBe('invalid_position')
})

test('a position that was not given out is an error, and one that is only reserved may have been', async () => {
  const { hub } = world({ limits: { reserveBlock: 8 } })
  await hub.produce(RUN)
  expect((await hub.attach(RUN.runId, sse, { lastEventId: '8' })).type).toBe('unknown_position')
  expect((await hub.attach(RUN.runId, sse, { lastEventId: '7' })).type).toBe('stream')
})

test('readers share bytes only where their options have the same names, also with nothing in them', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  const writer = runWriter(RUN)
  // Who writes no types may say of an option that it is not there.
  const wire: Encodable<unknown> = openaiChat
  const [plain, thinking] = await Promise.all(
    [{ clientTools: undefined }, { reasoning: 'reasoning_content' }].map(async (transcoder) =>
      client(await hub.attach(RUN.runId, wire, { transcoder, onLeave: 'keep' })),
    ),
  )
  void producer.write(writer.reasoning('Hm. '))
  void producer.write(writer.text('So.'))
  void producer.write(writer.end())
  await settle()
  expect(plain?.text()).not.toContain('reasoning_content')
  expect(thinking?.text()).toContain('reasoning_content')
})

test('an empty position is none', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  void producer.write(runWriter(RUN).text('a'))
  await settle()
  const reader = client(await hub.attach(RUN.runId, sse, { lastEventId: '' }))
  expect(reader.text()).toContain('run_start')
})

test('after the end who has seen all is told so, and who has not gets the rest and the end', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  for (const say of conversation()) void producer.write(say())
  await settle()
  const all = client(await hub.attach(RUN.runId, sse))
  await settle()
  const last = /id: (\d+)\n[^\n]*run_finish/.exec(all.text())?.[1] ?? ''
  expect((await hub.attach(RUN.runId, sse, { lastEventId: last })).type).toBe('over')
  const rest = client(await hub.attach(RUN.runId, sse, { lastEventId: `${Number(last) - 1}` }))
  await settle()
  expect(rest.text()).toContain('run_finish')
  expect(rest.left).toBe('complete')
})

test('who saw a commit in part is told the rest, also when a commit without facts follows', async () => {
  const { hub, settle } = world({ limits: { windowBytes: 1 } })
  const producer = await hub.produce(RUN)
  const running = { type: 'running' } as const
  const result = { type: 'tool_result', tool_use_id: 'c', content: [], is_error: false } as const
  const call = { type: 'tool_use', id: 'c', name: 'look', input: 1 } as const
  void producer.commit({ messages: [{ id: 'a', role: 'assistant', content: [call] }], state: running })
  // Its result, and the end of the step.
  void producer.commit({ messages: [{ id: 't', role: 'tool', content: [result] }], state: running })
  void producer.commit({ messages: [{ id: 'u', role: 'user', content: [] }], state: running })
  void producer.commit({ messages: [], state: running, inference: { model: 'm', duration_ms: 1 } })
  await settle()
  const rest = client(await hub.attach(RUN.runId, sse, { lastEventId: '2' }))
  const after = client(await hub.attach(RUN.runId, sse, { lastEventId: '3' }))
  await settle()
  expect(rest.text()).toContain('messages_snapshot')
  expect(after.text()).not.toContain('messages_snapshot')
})

test('while a run waits a stream that can be resumed stays open, and goes on with the run', async () => {
  const { hub, settle, pass } = world({ limits: { heartbeatMs: 5000 } })
  const producer = await hub.produce(RUN)
  const reader = client(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('c', 'ask', '{}', 'pending_client'))
  void producer.write(writer.await())
  await settle()
  expect(reader.text()).toContain('suspended')
  await pass(6000)
  expect(reader.text()).toContain('heartbeat')
  const seen = /id: (\d+)\n[^\n]*run_finish/.exec(reader.text())?.[1] ?? ''
  const back = client(await hub.attach(RUN.runId, sse, { lastEventId: seen }))
  expect([reader.left, back.left, back.text()]).toEqual([undefined, undefined, ''])

  const next = await hub.produce(RUN)
  const second = runWriter({ runId: RUN.runId, standing: next.standing(), history: next.messages() })
  void next.write(second.toolResult('c', 'yes'))
  void next.write(second.end())
  await settle()
  expect([reader.left, back.left]).toEqual(['complete', 'complete'])
  expect(back.text()).toContain('tool_call_resumed')
  expect(reader.text().endsWith(back.text())).toBe(true)
})

test('on a wire of one answer a request the response ends with its segment, and the next request gets the next', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  const first = client(await hub.attach(RUN.runId, agUi))
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('c', 'ask', '{}', 'pending_client'))
  void producer.write(writer.await())
  await settle()
  expect(first.left).toBe('complete')
  const late = client(await hub.attach(RUN.runId, agUi))
  await settle()
  expect([late.left, late.text().includes('RUN_FINISHED')]).toEqual(['complete', true])

  const next = await hub.produce(RUN)
  const second = client(await hub.attach(RUN.runId, agUi))
  await settle()
  expect(second.text()).toBe('')
  const goesOn = runWriter({ runId: RUN.runId, standing: next.standing(), history: next.messages() })
  void next.write(goesOn.toolResult('c', 'yes'))
  void next.write(goesOn.end())
  await settle()
  expect(second.text().match(/RUN_STARTED/g)).toHaveLength(1)
  expect(second.text()).toContain('RUN_FINISHED')
})

test('a producer that could not begin leaves nobody waiting for its segment', async () => {
  const store = memoryStore()
  let isDown = false
  const { hub, settle, pass } = world({
    store: { ...store, append: (...given) => (isDown ? Promise.reject(new Error('full')) : store.append(...given)) },
  })
  const producer = await hub.produce(RUN)
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('c', 'ask', '{}', 'pending_client'))
  await producer.write(writer.await())

  const next = await hub.produce(RUN)
  const early = client(await hub.attach(RUN.runId, agUi))
  const stays = client(await hub.attach(RUN.runId, sse))
  isDown = true
  const goesOn = runWriter({ runId: RUN.runId, standing: next.standing(), history: next.messages() })
  void next.write(goesOn.toolResult('c', 'yes')).catch(() => undefined)
  await pass(60_000)
  expect(next.signal.reason).toMatchObject({ code: 'store_failed' })
  expect([early.left, early.text(), stays.left]).toEqual(['closed', '', undefined])
  const late = client(await hub.attach(RUN.runId, agUi))
  await settle()
  expect([late.left, late.text().includes('RUN_FINISHED')]).toEqual(['complete', true])

  isDown = false
  await (await hub.produce(RUN)).write(goesOn.end())
  await pass(2000)
  expect(stays.left).toBe('complete')
})

test.each(['created', 'taken up'])('who comes while a run is %s reads what its producer says', async (how) => {
  const kept = memoryStore()
  const asks = runWriter(RUN)
  if (how === 'taken up') {
    const before = await world({ store: kept }).hub.produce(RUN)
    void before.write(asks.toolCall('c', 'ask', '{}', 'pending_client'))
    await before.write(asks.await())
  }
  const store = gated(kept)
  const { hub, settle } = world({ store })
  const coming = Promise.all([hub.produce(RUN), hub.attach(RUN.runId, sse)])
  while (store.waiting > 0) {
    store.next()
    await settle()
  }
  store.open()
  const [producer, attached] = await coming
  const reader = client(attached)
  const writer = runWriter({ runId: RUN.runId, standing: producer.standing(), history: producer.messages() })
  void producer.write(writer.text('live'))
  await settle()
  expect(reader.text()).toContain('live')
  await hub.close()
  expect(reader.left).toBe('closed')
})

test('leaving never ends a run whose client may come back', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  client(await hub.attach(RUN.runId, sse)).reading.leave()
  await settle()
  expect(producer.signal.aborted).toBe(false)
  await expect(hub.attach(RUN.runId, sse, { onLeave: 'cancel' })).rejects.toThrow(/hub\.ask/)
})

test('leaving cancels where the client has no other way to stop, when nobody else reads, unless the mount says no', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  const [one, two] = [client(await hub.attach(RUN.runId, openaiChat)), client(await hub.attach(RUN.runId, openaiChat))]
  one.reading.leave()
  await settle()
  expect(producer.signal.aborted).toBe(false)
  two.reading.leave()
  await settle()
  expect(producer.signal.reason).toEqual({ type: 'cancelled' })

  const kept = await hub.produce({ ...RUN, runId: 'run-2' })
  client(await hub.attach('run-2', openaiChat, { onLeave: 'keep' })).reading.leave()
  await settle()
  expect(kept.signal.aborted).toBe(false)
})

test('a run that nobody knows, and one reader too many', async () => {
  const { hub } = world({ limits: { readersPerRun: 1 } })
  expect((await hub.attach('nobody', sse)).type).toBe('unknown_run')
  await hub.produce(RUN)
  client(await hub.attach(RUN.runId, sse))
  expect((await hub.attach(RUN.runId, sse)).type).toBe('too_many_readers')
})

test('the answer to a request has the status and the headers of its wire', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  const response = answer(await hub.attach(RUN.runId, sse))
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  void producer.write(runWriter(RUN).end())
  await settle()
  expect(await response.text()).toContain('run_finish')
  const statuses = [
    answer(await hub.attach(RUN.runId, sse, { lastEventId: '1' })).status,
    answer(await hub.attach('nobody', sse)).status,
    answer(await hub.attach(RUN.runId, sse, { lastEventId: 'x' })).status,
    answer(await hub.attach(RUN.runId, sse, { lastEventId: '999999' })).status,
  ]
  expect(statuses).toEqual([204, 404, 400, 409])
  await hub.close()
  const closed = answer(await hub.attach(RUN.runId, sse))
  expect(closed.status).toBe(503)
  expect(await closed.json()).toMatchObject({ error: { code: 'closed' } })
})

test('a body that is cancelled leaves, and one that is not read holds one piece', async () => {
  const { hub, settle } = world({ limits: { windowBytes: 500 } })
  const producer = await hub.produce(RUN)
  const response = answer(await hub.attach(RUN.runId, sse))
  const writer = runWriter(RUN)
  for (let index = 0; index < 50; index++) {
    void producer.write(writer.text(`word ${index} `))
    await settle()
  }
  expect(hub.metrics().deliveries).toBe(1)
  await response.body?.cancel()
  await settle()
  expect(hub.metrics().readers).toBe(0)
})
