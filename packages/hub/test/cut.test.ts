/** Cut anywhere, come back: each fact once, and the same view in the end. */
import { readMessages } from '@factwire/conformance'
import { agUi } from '@factwire/ag-ui'
import { openaiChat } from '@factwire/openai-chat'
import { createReducer, type FlatEvent, sse, type View } from '@factwire/sse'
import { expect, test } from 'vitest'
import { type Limits } from '../src/index.ts'
import { openClient } from '../../ag-ui/test/client.ts'
import { conversation, RUN } from './conversation.ts'
import { client, world } from './world.ts'

const TINY: Partial<Limits> = { windowBytes: 1, recentFacts: 1, pageFacts: 2, writeBytes: 100 }
const LAST_ID = /^id: (\d+)$/gm

async function told(limits: Partial<Limits>): Promise<ReturnType<typeof world>> {
  const made = world({ limits })
  const producer = await made.hub.produce(RUN)
  const reader = client(await made.hub.attach(RUN.runId, sse))
  for (const say of conversation()) {
    void producer.write(say())
    await made.settle()
  }
  expect(reader.left).toBe('complete')
  return made
}

function fold(...bodies: readonly string[]): { readonly view: View; readonly events: readonly FlatEvent[] } {
  const reducer = createReducer()
  const events = bodies.flatMap((body) =>
    readMessages([Buffer.from(body)]).map(({ data }) => JSON.parse(data) as FlatEvent),
  )
  for (const event of events) reducer.push(event)
  return { view: reducer.view(), events }
}

/** What a page shows of the thread: whether it came as history or event by event. */
const shown = ({ before, turns, status, termination }: View): unknown => ({
  status,
  termination,
  turns: [...before, ...turns].map((turn) =>
    turn.role === 'assistant' ? { ...turn, reasoning: '', open: false } : turn,
  ),
})

const whole = (body: Buffer): string => {
  const end = body.lastIndexOf('\n\n')
  return end < 0 ? '' : body.subarray(0, end + 2).toString()
}

test('sse: at every byte, while the window holds all, the rest comes byte for byte', async () => {
  const { hub, settle } = await told({})
  const full = client(await hub.attach(RUN.runId, sse)).bytes()
  expect(full.length).toBeGreaterThan(1500)
  for (let cut = 0; cut <= full.length; cut++) {
    const had = whole(full.subarray(0, cut))
    const id = [...had.matchAll(LAST_ID)].at(-1)?.[1]
    const attached = await hub.attach(RUN.runId, sse, id === undefined ? {} : { lastEventId: id })
    const rest = attached.type === 'over' ? undefined : client(attached)
    await settle()
    // What came after the last number comes again, and changes nothing.
    const kept = id === undefined ? '' : had.slice(0, had.indexOf('\n\n', had.lastIndexOf(`id: ${id}\n`)) + 2)
    expect(kept + (rest?.text() ?? '')).toBe(full.toString())
    expect(rest?.left ?? 'complete').toBe('complete')
  }
})

test('sse: at every frame, when nothing is left of the bytes, the facts bring the same view', async () => {
  const { hub, settle } = await told(TINY)
  // The stream as it was, from a hub whose window holds it.
  const wide = await told({})
  const full = client(await wide.hub.attach(RUN.runId, sse)).bytes()
  const truth = shown(fold(full.toString()).view)
  const ends = [...full.toString('latin1').matchAll(/\n\n/g)].map(({ index }) => index + 2)
  expect(ends.length).toBeGreaterThan(15)
  for (const cut of [0, ...ends]) {
    const had = full.subarray(0, cut).toString()
    const id = [...had.matchAll(LAST_ID)].at(-1)?.[1]
    const attached = await hub.attach(RUN.runId, sse, id === undefined ? {} : { lastEventId: id })
    if (attached.type === 'over') continue
    const rest = client(attached)
    await settle()
    expect(rest.left).toBe('complete')
    const told = had + rest.text()
    expect({ seen: shown(fold(had, rest.text()).view), told }).toEqual({ seen: truth, told })
  }
})

test('sse: who stands at the end of a step gets the facts that follow, and nothing else', async () => {
  const { hub, settle } = await told(TINY)
  const wide = await told({})
  const full = client(await wide.hub.attach(RUN.runId, sse)).text()
  const end = full.indexOf('\n\n', full.indexOf('step_end')) + 2
  const id = [...full.slice(0, end).matchAll(LAST_ID)].at(-1)?.[1] ?? ''
  const rest = client(await hub.attach(RUN.runId, sse, { lastEventId: id }))
  await settle()
  const types = fold(rest.text()).events.map(({ event_type }) => event_type)
  expect(types).toEqual(['step_start', 'text_delta', 'step_end', 'run_finish'])
  expect(shown(fold(full.slice(0, end), rest.text()).view)).toEqual(shown(fold(full).view))
})

test('sse: each fact of a stream that was cut at any frame is told once', async () => {
  const { hub, settle } = await told({})
  const full = client(await hub.attach(RUN.runId, sse)).text()
  const ids = [...full.matchAll(LAST_ID)].map(([, id]) => id)
  for (const [index, id] of ids.slice(0, -1).entries()) {
    const rest = client(await hub.attach(RUN.runId, sse, { lastEventId: id ?? '' }))
    await settle()
    expect([...rest.text().matchAll(LAST_ID)].map(([, next]) => next)).toEqual(ids.slice(index + 1))
  }
})

test('ag-ui: a page that was cut off anywhere and asks again shows the same', async () => {
  const { hub, settle } = await told({})
  const make = async (): Promise<string> => {
    const reader = client(await hub.attach(RUN.runId, agUi))
    await settle()
    return reader.text()
  }
  const full = await make()
  const truth = await openClient([], '1.0').read(full)
  const ends = [...full.matchAll(/\n\n/g)].map(({ index }) => index + 2)
  for (const cut of ends) {
    const page = openClient([], '1.0')
    await page.read(full.slice(0, cut))
    const { messages, rejected } = await page.read(await make())
    expect(rejected).toBeUndefined()
    expect(messages).toEqual(truth.messages)
  }
})

test('openai-chat: who asks again gets the whole answer, whatever the window holds', async () => {
  const answers: string[] = []
  for (const limits of [{}, TINY]) {
    const { hub, settle } = await told(limits)
    const reader = client(await hub.attach(RUN.runId, openaiChat))
    await settle()
    const chunks = readMessages([reader.bytes()]).map(({ data }) => data)
    expect(chunks.at(-1)).toBe('[DONE]')
    const text = chunks.slice(0, -1).map((data) => {
      const { choices } = JSON.parse(data) as { choices: { delta?: { content?: string } }[] }
      return choices[0]?.delta?.content ?? ''
    })
    answers.push(text.join(''))
  }
  expect(answers).toEqual(['I look it up. \n\nIt is 22 °C — warm.', 'I look it up. \n\nIt is 22 °C — warm.'])
})
