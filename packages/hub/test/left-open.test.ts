/** What a commit leaves open, because it tells of something else: whoever comes is shown it, and it goes with the commit that passes it. */
import type { LiveRun, Subject } from '@factwire/conformance'
import type { Commit, Message } from '@factwire/core'
import { expect, test } from 'vitest'
import { subject as agUi } from '../../ag-ui/test/subject.ts'
import { subjectOf as aiSdk } from '../../ai-sdk/test/subject.ts'
import { subjectOf as anthropicMessages } from '../../anthropic-messages/test/subject.ts'
import { subjectOf as openaiChat } from '../../openai-chat/test/subject.ts'
import { subjectOf as openaiResponses } from '../../openai-responses/test/subject.ts'
import { subject as sseSubject } from '../../sse/test/subject.ts'
import { memoryBus, memoryStore, type Producer } from '../src/index.ts'
import { manualClock } from '../src/testing.ts'
import { RUN } from './conversation.ts'
import { type Client, client, gated, world, type World } from './world.ts'

type AnySubject = Subject<unknown>
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
const RUNNING = { type: 'running' } as const
const END: Commit = { messages: [], state: { type: 'ended', cause: { type: 'natural_end' } } }
const CALLS: Message = {
  id: 'calls',
  role: 'assistant',
  content: [
    { type: 'tool_use', id: 'c1', name: 'look', input: {} },
    { type: 'tool_use', id: 'c2', name: 'look', input: {} },
  ],
}
const said = (id: string, text: string): Message => ({ id, role: 'assistant', content: [{ type: 'text', text }] })
const result = (call: string): Message => ({
  id: `result-${call}`,
  role: 'tool',
  content: [
    { type: 'tool_result', tool_use_id: call, content: [{ type: 'text', text: `of ${call}` }], is_error: false },
  ],
})
const HEARD: Message = { id: 'steer', role: 'user', content: [{ type: 'text', text: 'Hurry.' }] }

interface Scene extends World {
  readonly producer: Producer
  tell(...messages: readonly Message[]): Promise<void>
  /** The next fragment of a message. */
  write(id: string, text: string): Promise<void>
  end(): Promise<void>
}

async function scene(made: World): Promise<Scene> {
  const producer = await made.hub.produce({ ...RUN, history: [] })
  const offsets = new Map<string, number>()
  const commit = async (given: Commit): Promise<void> => {
    void producer.commit(given)
    await made.settle()
  }
  await commit({ messages: [], state: RUNNING })
  return {
    ...made,
    producer,
    tell: (...messages) => commit({ messages, state: RUNNING }),
    async write(id, text) {
      const offset = offsets.get(id) ?? 0
      offsets.set(id, offset + text.length)
      producer.delta({ type: 'text_delta', delta: text, message_id: id, offset })
      await made.settle()
    },
    end: () => commit(END),
  }
}

const reads = async ({ hub }: World, { protocol, options }: AnySubject, lastEventId?: string): Promise<Client> =>
  client(
    await hub.attach(RUN.runId, protocol, {
      transcoder: options,
      onLeave: 'keep',
      ...(lastEventId === undefined ? {} : { lastEventId }),
    }),
  )

const seenIn = (had: string): string => [...had.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ''

async function viewOf({ view }: AnySubject, body: string, had?: string): Promise<object> {
  const stage = { run: { script: [] } as unknown as LiveRun, context: { ...RUN, history: [] } }
  const { turns, warnings, status } = await view(body, { ...stage, ...(had === undefined ? {} : { had }) })
  const texts = turns.map(({ text }) => text).filter((text) => text !== '')
  return { texts, warnings, status }
}

test.each(wires)(
  '%s: who joins while a message is written is shown what stands before a result that came in between',
  async (_name, subject) => {
    const made = await scene(world())
    const { tell, write, end, settle } = made
    const first = await reads(made, subject)
    await tell(CALLS)
    await tell(result('c1'))
    await write('next', 'It is ')
    await tell(result('c2'))
    const late = await reads(made, subject)
    await settle()
    await write('next', 'warm.')
    expect(late.text()).toMatch(/It is .*warm\./s)
    await tell(said('next', 'It is warm.'))
    await end()
    expect(await viewOf(subject, late.text())).toEqual(await viewOf(subject, first.text()))
    expect(await viewOf(subject, late.text())).toMatchObject({ texts: ['It is warm.'], warnings: [] })
  },
)

test.each(wires)(
  '%s: who joins is shown what was written of the message behind the one that is committed',
  async (_name, subject) => {
    const made = await scene(world())
    const { tell, write, end, settle } = made
    const first = await reads(made, subject)
    await write('one', 'One, ')
    await write('two', 'Two, ')
    await tell(said('one', 'One, '))
    const late = await reads(made, subject)
    await settle()
    await write('two', 'and more.')
    expect(late.text()).toMatch(/Two, .*and more\./s)
    await tell(said('two', 'Two, and more.'))
    await end()
    expect(await viewOf(subject, late.text())).toEqual(await viewOf(subject, first.text()))
  },
)

test('who was shown it comes back to the bytes that all read', async () => {
  const made = await scene(world())
  const { tell, write, hub, settle } = made
  const first = await reads(made, sseSubject)
  await tell(CALLS)
  await tell(result('c1'))
  await write('next', 'It is ')
  await tell(result('c2'))
  await tell(said('next', 'It is warm.'))
  const back = await reads(made, sseSubject, seenIn(first.text()))
  await settle()
  expect([back.text(), hub.metrics().behind]).toEqual(['', 0])
})

for (const [what, between] of [
  ['a result', result('c2')],
  ['what somebody says', HEARD],
] as const) {
  test(`in a process that knows the run from its store alone, who has half a message before ${what} sees it once`, async () => {
    const [store, clock] = [memoryStore(), manualClock()]
    const made = await scene(world({ store, clock }))
    const { tell, write, end, settle } = made
    const first = await reads(made, sseSubject)
    await tell(CALLS)
    await tell(result('c1'))
    await write('next', 'It is ')
    await tell(between)
    const had = [first.text()]
    await write('next', 'warm.')
    had.push(first.text())
    await tell(said('next', 'It is warm.'))
    await end()
    const there = world({ store, clock })
    for (const each of had) {
      const back = await reads(there, sseSubject, seenIn(each))
      await settle()
      expect(back.left).toBe('complete')
      expect(await viewOf(sseSubject, back.text(), each)).toMatchObject({ texts: ['It is warm.'], warnings: [] })
    }
  })
}

test.each(['ends', 'has waited since'])(
  'in such a process who has a message that was passed over sees it go, where the run %s',
  async (what) => {
    const [store, clock] = [memoryStore(), manualClock()]
    const made = await scene(world({ store, clock }))
    const { tell, write, end, settle, producer, hub } = made
    const first = await reads(made, sseSubject)
    await write('never', 'Never told. ')
    await tell(said('one', 'One. '))
    const had = first.text()
    let waited = ''
    if (what === 'ends') await tell(said('two', 'Two. '))
    else {
      await producer.commit({ messages: [], state: { type: 'awaiting' }, pending: [] })
      await settle()
      waited = first.text()
      const next = await hub.produce(RUN)
      await next.commit({ messages: [said('two', 'Two. ')], state: RUNNING })
      void next.commit(END)
    }
    await end()
    const there = world({ store, clock })
    const back = await reads(there, sseSubject, seenIn(had))
    await settle()
    expect(await viewOf(sseSubject, back.text(), had)).toMatchObject({ texts: ['One. ', 'Two. '], warnings: [] })
    if (waited === '') return
    // With the end of its segment it was taken back.
    const later = await reads(there, sseSubject, seenIn(waited))
    await settle()
    expect(later.text()).not.toContain('One. ')
    expect(later.text()).toContain('Two. ')
  },
)

test('what a tool prints stays open over the result of another, and goes with its own', async () => {
  const made = await scene(world())
  const { tell, producer, hub } = made
  await tell(CALLS)
  producer.delta({ type: 'tool_output_delta', id: 'c1', name: 'look', delta: 'prints one' })
  producer.delta({ type: 'tool_output_delta', id: 'c2', name: 'look', delta: 'prints two' })
  await tell(result('c1'))
  const late = await reads(made, sseSubject)
  await made.settle()
  expect(late.text()).toContain('prints two')
  expect(late.text()).not.toContain('prints one')
  await tell(result('c2'))
  expect(hub.metrics().openUnits).toBe(0)
})

test('an attempt that was given up stays given up over a result that comes in between', async () => {
  const made = await scene(world())
  const { tell, write, end, producer, settle } = made
  const first = await reads(made, sseSubject)
  await tell(CALLS)
  await tell(result('c1'))
  await write('wrong', 'WRONG ')
  producer.delta({ type: 'stream_reset', reason: 'connection reset' })
  await write('right', 'Right, ')
  await tell(result('c2'))
  const late = await reads(made, sseSubject)
  await settle()
  expect(late.text()).toContain('Right, ')
  expect(late.text()).not.toContain('WRONG')
  await tell(said('right', 'Right, then.'))
  const back = await reads(made, sseSubject, seenIn(first.text()))
  await settle()
  expect(back.text()).toBe('')
  await end()
  const view = { texts: ['Right, then.'], warnings: [], status: 'finished' }
  expect(await viewOf(sseSubject, first.text())).toEqual(view)
  expect(await viewOf(sseSubject, late.text())).toEqual(view)
})

test.each(['dies', 'goes on with another message'])(
  'a preview of another process goes where its producer %s',
  async (what) => {
    const [kept, clock, bus] = [memoryStore(), manualClock(), memoryBus()]
    const dying = gated(kept)
    dying.open()
    const made = await scene(world({ store: dying, clock, bus }))
    const there = world({ store: kept, clock, bus })
    const readers = await Promise.all(SUBJECTS.map((subject) => reads(there, subject)))
    const { write, tell, settle } = made
    await write('one', 'Never told. ')
    expect(there.hub.metrics().openUnits).toBeGreaterThan(0)
    if (what === 'dies') dying.kill()
    else await tell(said('two', 'Two. '))
    await there.pass(40_000)
    expect(there.hub.metrics().openUnits).toBe(0)
    const late = await reads(there, sseSubject)
    await settle()
    expect(late.text()).not.toContain('Never told.')
    await made.end()
    await there.pass(2000)
    const [first] = readers
    const texts = what === 'dies' ? [] : ['Two. ']
    expect(await viewOf(sseSubject, first?.text() ?? '')).toMatchObject({ texts })
    expect(readers.map(({ left }) => left)).toEqual(readers.map(() => 'complete'))
  },
)
