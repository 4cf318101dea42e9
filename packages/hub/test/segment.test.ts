/** Who asks for the segment in which a run goes on, before anything of it is told: with the thread before it, or without. */
import type { LiveRun, Subject } from '@factwire/conformance'
import { type Message, runWriter } from '@factwire/core'
import { expect, test } from 'vitest'
import { subject as agUi } from '../../ag-ui/test/subject.ts'
import { subjectOf as aiSdk } from '../../ai-sdk/test/subject.ts'
import { subjectOf as anthropicMessages } from '../../anthropic-messages/test/subject.ts'
import { subjectOf as openaiChat } from '../../openai-chat/test/subject.ts'
import { subjectOf as openaiResponses } from '../../openai-responses/test/subject.ts'
import { subject as sse } from '../../sse/test/subject.ts'
import type { AttachOptions, Producer } from '../src/index.ts'
import { RUN } from './conversation.ts'
import { type Client, client, type World, world } from './world.ts'

type AnySubject = Subject<unknown>
const SUBJECTS: readonly AnySubject[] = [
  sse,
  agUi,
  openaiChat('7'),
  openaiResponses('7'),
  anthropicMessages(),
  aiSdk('v6'),
  aiSdk('v7'),
]
const wires = SUBJECTS.map((subject) => [subject.label ?? subject.protocol.name, subject] as const)
/** Those whose clients see more than one answer in a stream. */
const tells = wires.filter(([name]) => /^(sse|ag-ui|ai-sdk)/.test(name))
const user = (id: string, text: string): Message => ({ id, role: 'user', content: [{ type: 'text', text }] })
const HISTORY = [user('user-2', 'Look, please.')]

interface Scene extends World {
  attach(options?: AttachOptions<unknown>): Promise<Client>
  /** What a client of the wire sees that knew nothing before. */
  turns(read: Client): Promise<unknown>
}

function scene({ protocol, options, view }: AnySubject): Scene {
  const made = world()
  const run = { script: [] } as unknown as LiveRun
  return {
    ...made,
    attach: async (given) =>
      client(
        await made.hub.attach(RUN.runId, protocol, {
          spans: 'segment',
          transcoder: options,
          onLeave: 'keep',
          ...given,
        }),
      ),
    async turns(read) {
      const { turns, warnings, status } = await view(read.text(), { run, context: { ...RUN, history: HISTORY } })
      return { turns, warnings, status }
    },
  }
}

/** The run waits for a call of the client, and somebody is about to go on with it. */
async function waited({ hub, settle }: Scene): Promise<Producer> {
  const first = await hub.produce({ ...RUN, history: HISTORY })
  const writer = runWriter(RUN)
  void first.write(writer.text('First. '))
  void first.write(writer.toolCall('c', 'ask', '{}', 'pending_client'))
  await first.write(writer.await())
  await settle()
  return hub.produce({ ...RUN, history: HISTORY })
}

/** Its steps, one by one. */
function goesOn(producer: Producer): readonly (() => unknown)[] {
  const standing = producer.standing()
  const writer = runWriter({ runId: RUN.runId, standing, history: producer.messages() })
  return [
    () => producer.write(writer.toolResult('c', 'yes')),
    () => producer.write(writer.text('Second')),
    () => producer.write(writer.text('. ')),
    () => producer.write(writer.end()),
  ]
}

test.each(wires)(
  '%s: who comes before a segment is told anything, and has nothing, sees what those see who come later',
  async (_name, subject) => {
    const made = scene(subject)
    const producer = await waited(made)
    const early = await made.attach()
    expect(early.text()).toBe('')
    const late: Client[] = []
    for (const say of goesOn(producer)) {
      void say()
      await made.settle()
      late.push(await made.attach())
    }
    await made.settle()
    expect(early.left).toBe('complete')
    const seen = await made.turns(early)
    for (const each of late) {
      expect(each.left).toBe('complete')
      expect(await made.turns(each)).toEqual(seen)
    }
    expect(JSON.stringify(seen)).toContain('Second. ')
  },
)

test.each(tells)('%s: it is told the thread, and who has that is not told it again', async (_name, subject) => {
  const made = scene(subject)
  const producer = await waited(made)
  const [fresh, knows] = [await made.attach(), await made.attach({ has: 'thread' })]
  for (const say of goesOn(producer)) void say()
  await made.settle()
  expect(fresh.text()).toMatch(/First\. .*Second/s)
  expect(knows.text()).toContain('Second')
  expect(knows.text()).not.toContain('First. ')
  expect([fresh.left, knows.left]).toEqual(['complete', 'complete'])
})

test('ag-ui: who has nothing of the thread is told what was said before the run, whenever it comes', async () => {
  const made = scene(agUi)
  const producer = await made.hub.produce({ ...RUN, history: HISTORY })
  const [fresh, knows] = [await made.attach(), await made.attach({ has: 'thread' })]
  const writer = runWriter(RUN)
  void producer.write(writer.text('Here. '))
  await made.settle()
  expect(fresh.text()).toContain('Here. ')
  void producer.write(writer.end())
  await made.settle()
  expect([fresh.text(), knows.text()].map((text) => text.includes('Look, please.'))).toEqual([true, false])
  expect(await made.turns(fresh)).toEqual(await made.turns(knows))
})

test('who waits for a segment that nobody begins is sent away, with the thread or without', async () => {
  const made = scene(agUi)
  await waited(made)
  const readers = [await made.attach(), await made.attach({ has: 'thread' })]
  await made.hub.close()
  expect(readers.map(({ left, text }) => [left, text()])).toEqual([
    ['closed', ''],
    ['closed', ''],
  ])
})

test('sse: who names a place in the segment before is told the rest of that, and not the next', async () => {
  const made = scene(sse)
  const producer = await waited(made)
  const back = await made.attach({ lastEventId: '1' })
  await made.settle()
  expect(back.left).toBe('complete')
  expect(back.text()).toContain('suspended')
  for (const say of goesOn(producer)) void say()
  await made.settle()
  expect(back.text()).not.toContain('Second')
})
