/** Readers that fall behind the window, on every wire: what they are shown goes on from what they have seen. */
import { readMessages, type Subject } from '@factwire/conformance'
import { checkGrammar, type Commit, isCommit, type Message, runWriter, type RunWriter, textOf } from '@factwire/core'
import { createReducer, type FlatEvent, sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { subject as agUi } from '../../ag-ui/test/subject.ts'
import { subjectOf as aiSdk } from '../../ai-sdk/test/subject.ts'
import { subjectOf as anthropicMessages } from '../../anthropic-messages/test/subject.ts'
import { subjectOf as openaiChat } from '../../openai-chat/test/subject.ts'
import { subjectOf as openaiResponses } from '../../openai-responses/test/subject.ts'
import { subject as sseSubject } from '../../sse/test/subject.ts'
import type { Limits, Producer } from '../src/index.ts'
import { longAnswer, RUN } from './conversation.ts'
import { type Client, client, type World, world } from './world.ts'

type AnySubject = Subject<unknown>
const RUNNING = { type: 'running' } as const
const SUBJECTS: readonly AnySubject[] = [
  sseSubject,
  agUi,
  openaiChat('7'),
  openaiResponses('7'),
  anthropicMessages(),
  aiSdk('v6'),
  aiSdk('v7'),
]
const wires = SUBJECTS.map((subject) => [subject.label ?? subject.protocol.name, subject] as const)

interface Scene extends World {
  readonly producer: Producer
  readonly writer: RunWriter
  readonly fast: Client
  readonly slow: Client
  say(...words: readonly ReturnType<RunWriter['text']>[]): Promise<void>
  sayMuch(): Promise<void>
}

async function scene({ protocol, options }: AnySubject, limits: Partial<Limits>): Promise<Scene> {
  const made = world({ limits })
  const producer = await made.hub.produce({ ...RUN, history: [] })
  const attach = async (): Promise<Client> =>
    client(await made.hub.attach(RUN.runId, protocol, { transcoder: options, onLeave: 'keep' }))
  const [fast, slow] = [await attach(), await attach()]
  const writer = runWriter(RUN)
  async function say(...written: readonly ReturnType<RunWriter['text']>[]): Promise<void> {
    for (const each of written) {
      void producer.write(each)
      await made.settle()
    }
  }
  return {
    ...made,
    producer,
    writer,
    fast,
    slow,
    say,
    async sayMuch() {
      for (const more of longAnswer(writer, 40)) await say(more())
    },
  }
}

/** What its grammar has against a body, and what a reader of the wire makes of it. */
function read({ protocol }: AnySubject, body: string): { readonly breaches: unknown; readonly said: unknown } {
  const frames = readMessages([Buffer.from(body)]).flatMap((message) => protocol.framing.parse(message) ?? [])
  const check = checkGrammar(protocol.grammar)
  const breaches = frames.flatMap((frame) => check.push(frame))
  const decoder = protocol.decoder?.()
  if (!decoder) throw new Error('a wire that nobody reads')
  const commits: Commit[] = [...frames.flatMap((frame) => decoder.push(frame).filter(isCommit)), ...decoder.end()]
  const told = ({ role, content }: Message): string => `${role}: ${textOf(content)}`
  return {
    breaches: [...breaches, ...check.end()],
    said: { state: commits.at(-1)?.state, messages: commits.flatMap(({ messages }) => messages.map(told)) },
  }
}

test.each(wires)('%s: in a later step a reader goes on where it stood', async (_name, subject) => {
  const { writer, fast, slow, say, sayMuch, hub } = await scene(subject, { windowBytes: 1500 })
  await say(writer.reasoning('I have to think about it.'), writer.toolCall('c1', 'look', '{}'), writer.commit())
  await say(writer.toolResult('c1', 'seen'), writer.text('Hello. '))
  slow.stall()
  await sayMuch()
  slow.go()
  await say(writer.text('That is all.'), writer.end())
  expect([slow.left, fast.left]).toEqual(['complete', 'complete'])
  expect(hub.metrics().fellBehind).toBe(1)
  const [seen, whole] = [read(subject, slow.text()), read(subject, fast.text())]
  expect(seen.breaches).toEqual([])
  expect(seen).toEqual(whole)
  expect(JSON.stringify(seen.said)).toContain('word 39 That is all.')
})

test.each(wires)('%s: what was taken back while a reader stood is taken back at its client', async (_name, subject) => {
  const { writer, slow, say, sayMuch, hub } = await scene(subject, { windowBytes: 600 })
  await say(writer.text('WRONG'))
  slow.stall()
  // One piece more is on its way to it.
  await say(writer.text('.'), writer.reset('connection reset'))
  await sayMuch()
  await say(writer.commit())
  slow.go()
  await say(writer.text('That is all.'), writer.end())
  expect(slow.left).toBe('complete')
  // Who has been told that the stream has failed is behind nothing.
  expect(hub.metrics().fellBehind > 0 || subject.repairs === false).toBe(true)
  const { breaches, said } = read(subject, slow.text())
  expect(breaches).toEqual([])
  const failure = { type: 'error', failure: { code: 'stream_reconciliation_failed' } }
  const cause = subject.repairs === false ? failure : { type: 'natural_end' }
  expect(said).toMatchObject({ state: { type: 'ended', cause } })
})

test('sse: of an attempt that was given up while a reader stood nothing stays at its client', async () => {
  const { writer, slow, say, sayMuch, hub } = await scene(sseSubject, { windowBytes: 600 })
  await say(writer.text('WRONG'))
  slow.stall()
  // One piece more is on its way to it.
  await say(writer.text('.'), writer.reset('connection reset'))
  await sayMuch()
  await say(writer.commit())
  slow.go()
  await say(writer.text('That is all.'), writer.end())
  expect(hub.metrics()).toMatchObject({ fellBehind: 1, cameBack: 1 })
  const reducer = createReducer()
  for (const { data } of readMessages([Buffer.from(slow.text())])) reducer.push(JSON.parse(data) as FlatEvent)
  expect(reducer.view().turns.map(({ text }) => text.slice(0, 12))).toEqual(['word 0 word ', 'That is all.'])
})

test.each(wires.filter(([name]) => /^(ai-sdk|ag-ui)/.test(name)))(
  '%s: where the shared stream has failed, who came late goes on alone',
  async (_name, subject) => {
    const { writer, fast, say, hub, settle } = await scene(subject, {})
    await say(writer.text('WRONG'), writer.reset('connection reset'), writer.text('Right.'))
    const early = client(await hub.attach(RUN.runId, subject.protocol, { transcoder: subject.options }))
    await say(writer.commit())
    const late = client(await hub.attach(RUN.runId, subject.protocol, { transcoder: subject.options }))
    await settle()
    await say(writer.text('That is all.'), writer.end())
    expect(fast.text().includes('That is all.')).toBe(subject.repairs !== false)
    expect(hub.metrics().cameBack > 0).toBe(subject.repairs !== false)
    for (const reader of [early, late]) {
      expect(reader.left).toBe('complete')
      expect(reader.text()).toContain('That is all.')
      expect(read(subject, reader.text()).breaches).toEqual([])
    }
  },
)

test('openai-responses: who comes back while a retry is written is told how the answer ends', async () => {
  const subject = openaiResponses('7')
  for (const windowBytes of [300, 100_000]) {
    const { writer, fast, say, hub, settle } = await scene(subject, { windowBytes })
    await say(writer.text('Old. '), writer.commit())
    await say(writer.text('WRONG '), writer.text('again'))
    const numbers = [...fast.text().matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number))
    const startingAfter = numbers.at(-1) ?? 0
    await say(writer.reset('connection reset'), writer.text('Right. '))
    const transcoder = { ...subject.options, resumable: true, startingAfter }
    const back = client(await hub.attach(RUN.runId, subject.protocol, { transcoder, onLeave: 'keep' }))
    await settle()
    await say(writer.commit(), writer.text('That is all.'), writer.end())
    expect(back.left).toBe('complete')
    expect(back.text()).toMatch(/event: response\.(failed|completed|incomplete)\n/)
  }
})

test.each(wires)('%s: a preview that no commit tells of is nothing to who comes after it', async (_name, subject) => {
  const { producer, hub, settle } = await scene(subject, { windowBytes: 100 })
  const message = (id: string): Message => ({
    id,
    role: 'assistant',
    content: [{ type: 'text', text: `${id} is told. ` }],
  })
  const commit = async (...messages: readonly Message[]): Promise<void> => {
    void producer.commit({ messages, state: RUNNING })
    await settle()
  }
  await commit()
  producer.delta({ type: 'text_delta', delta: 'Never told. ', message_id: 'a' })
  await settle()
  await commit(message('b'))
  const late = client(await hub.attach(RUN.runId, subject.protocol, { transcoder: subject.options, onLeave: 'keep' }))
  await settle()
  await commit(message('c'))
  void producer.commit({ messages: [], state: { type: 'ended', cause: { type: 'natural_end' } } })
  await settle()
  const { breaches, said } = read(subject, late.text())
  expect(breaches).toEqual([])
  expect(late.text()).toMatch(/b is told.*c is told/s)
  expect(late.text()).not.toContain('Never')
  expect(JSON.stringify(said)).toContain('c is told')
})

test('sse: whoever has seen a preview that no commit tells of, or has not, comes back and sees the same', async () => {
  for (const windowBytes of [100, 300, 10_000]) {
    const { producer, fast, hub, settle } = await scene(sseSubject, { windowBytes })
    const tell = async (id: string): Promise<void> => {
      const text = `${id} is told. `
      void producer.commit({ messages: [{ id, role: 'assistant', content: [{ type: 'text', text }] }], state: RUNNING })
      await settle()
    }
    await tell('a')
    producer.delta({ type: 'text_delta', delta: 'Never told. ', message_id: 'x' })
    await settle()
    await tell('b')
    const late = client(await hub.attach(RUN.runId, sse))
    await tell('c')
    const had = [fast.text(), late.text()]
    const again = await Promise.all(
      had.map(async (body) => {
        const lastEventId = [...body.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ''
        return client(await hub.attach(RUN.runId, sse, { lastEventId }))
      }),
    )
    await tell('d')
    void producer.commit({ messages: [], state: { type: 'ended', cause: { type: 'natural_end' } } })
    await settle()
    for (const [index, { text }] of again.entries()) {
      const reducer = createReducer()
      for (const { data } of readMessages([Buffer.from(`${had[index]}${text()}`)]))
        reducer.push(JSON.parse(data) as FlatEvent)
      const { before, turns } = reducer.view()
      const told = [...before, ...turns].map((turn) => (turn.role === 'assistant' ? turn.text : turn.role))
      expect(told).toEqual(['a is told. ', 'b is told. ', 'c is told. ', 'd is told. '])
    }
  }
})

test('the numbers of who comes late never go back, also over a document that no commit has told', async () => {
  const { producer, writer, say, hub, settle } = await scene(sseSubject, { windowBytes: 2500 })
  await say(writer.text('x'.repeat(3000)), writer.commit())
  producer.delta({ type: 'state_delta', delta: [{ op: 'add', path: '/n', value: 1 }] })
  await say(writer.toolCall('c1', 'look', '{}'), writer.commit())
  const late = client(await hub.attach(RUN.runId, sse))
  await settle()
  const numbers = [...late.text().matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  expect(numbers.toSorted((one, other) => one - other)).toEqual(numbers)
  expect(late.text()).toContain('"path":"/n"')
})

test('a reader that was shown more than is remembered is ended on a wire that needs it, and caught up on others', async () => {
  for (const [subject, left] of [
    [anthropicMessages(), 'blocked'],
    [sseSubject, 'complete'],
  ] as const) {
    const { writer, slow, fast, say, sayMuch, hub } = await scene(subject, { windowBytes: 600, pastUnits: 300 })
    for (let step = 0; step < 3; step++) await say(writer.reasoning('Hm. '), writer.text('So. '), writer.commit())
    await say(writer.text('Hello. '))
    slow.stall()
    await sayMuch()
    slow.go()
    expect(hub.metrics().pastUnits).toBeLessThanOrEqual(300)
    await say(writer.end())
    expect([slow.left, fast.left]).toEqual([left, 'complete'])
  }
})

test.each(wires)(
  '%s: who has text that was taken back and is forgotten is ended, and comes back',
  async (_name, subject) => {
    for (const stalls of ['with the others', 'alone']) {
      const { writer, fast, slow, say, sayMuch, hub } = await scene(subject, { windowBytes: 600, pastUnits: 300 })
      await say(writer.text('WRONG '))
      slow.stall()
      await say(writer.text('x'.repeat(400)))
      if (stalls === 'alone') {
        await sayMuch()
        slow.go()
        slow.stall()
        await say(writer.text('y'))
      }
      await say(writer.reset('connection reset'))
      await sayMuch()
      await say(writer.commit())
      slow.go()
      await say(writer.text('That is all.'), writer.end())
      expect(fast.left).toBe('complete')
      // A stream that has failed has nothing more to tell.
      if (subject.repairs === false) continue
      expect([stalls, slow.left]).toEqual([stalls, 'blocked'])
      expect(hub.metrics()).toMatchObject({ blockedEnded: 1, readers: 0 })
      if (subject.protocol !== sse) continue
      const lastEventId = [...slow.text().matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ''
      const again = client(await hub.attach(RUN.runId, sse, { lastEventId }))
      await say()
      const reducer = createReducer()
      for (const { data } of readMessages([Buffer.from(`${slow.text()}${again.text()}`)])) {
        reducer.push(JSON.parse(data) as FlatEvent)
      }
      const { status, before, turns } = reducer.view()
      expect(status).toBe('finished')
      const told = [...before, ...turns].map((turn) => (turn.role === 'assistant' ? turn.text.slice(0, 12) : turn.role))
      expect(told).toEqual(['word 0 word ', 'That is all.'])
    }
  },
)

test('of text that is committed as it was shown nothing is kept twice, and nothing of what tools print', async () => {
  const { writer, say, hub, settle, producer } = await scene(sseSubject, {})
  await say(writer.text('x'.repeat(10_000)), writer.toolCall('c1', 'look', `{"q":"${'y'.repeat(10_000)}"}`))
  await say(writer.commit(), writer.toolOutput('c1', 'z'.repeat(10_000)), writer.toolResult('c1', 'seen'))
  expect(hub.metrics().pastUnits).toBeLessThan(500)
  void producer.write(writer.end())
  await settle()
  await hub.close()
  expect(hub.metrics().pastUnits).toBe(0)
})
