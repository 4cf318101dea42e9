import {
  type AgentEvent,
  decode,
  type Fact,
  fateOf,
  isCommit,
  type RunContext,
  transcode,
  type WireMessage,
} from '@factwire/core'
import { createReducer, readSse, sse } from '@factwire/sse'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyDisturbance, anyRun, context, disturb, joinAt, units } from '@factwire/conformance'
import { fidelity } from '../src/fidelity.ts'
import { agUi, history } from '../src/index.ts'
import type { AgUiMessage } from '../src/wire-message.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { clientView } from './client.ts'

const seed = 4
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 120)
const timeout = 600_000

const withHistory: RunContext = { ...context, history: [] }

async function overTheWire(events: readonly AgentEvent[]): Promise<Fact[]> {
  const bytes = async function* (): AsyncGenerator<string> {
    yield* transcode(agUi, events, withHistory)
  }
  const messages: AsyncIterable<WireMessage> = readSse(bytes())
  const facts: Fact[] = []
  for await (const event of decode(agUi, messages)) if (event.tier === 'fact') facts.push(event.event)
  return facts
}

const facts = (events: readonly AgentEvent[]): Fact[] =>
  events.flatMap((event) => (event.tier === 'fact' ? [event.event] : []))

test(
  'what the fidelity calls exact comes back with every delta before it, too',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), async (run) => {
        fc.pre(run.marked)
        const events = disturb(run, { kind: 'all' })
        const read = await overTheWire(events)
        const exact = facts(events).filter((fact) => fateOf(fidelity, fact).kept === 'exact')
        expect(read).toEqual(expect.arrayContaining(exact))
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

async function decodedEvents(bytes: AsyncIterable<string | Uint8Array>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of decode(agUi, readSse(bytes))) events.push(event)
  return events
}

/** What a client of another wire sees in the end. Of thinking the facts tell only that there was some, and a repair may mint ids. */
async function seen(events: readonly AgentEvent[]): Promise<unknown> {
  const reducer = createReducer()
  for await (const piece of transcode(sse, events, withHistory)) {
    for await (const message of readSse(once(piece))) {
      const event = sse.framing.parse(message)
      if (event) reducer.push(event)
    }
  }
  const { turns, ...view } = reducer.view()
  const said = turns.filter((turn) => turn.text !== '' || turn.calls.length > 0)
  return { ...view, turns: said.map(({ role, text, calls }) => ({ role, text, calls })) }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

test(
  'fragments that are read back agree with the facts, whatever became of them before',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), anyDisturbance, async (run, disturbance) => {
        const read = await decodedEvents(transcode(agUi, disturb(run, disturbance), withHistory))
        const committed = read.filter(({ tier }) => tier === 'fact')
        expect(await seen(read)).toEqual(await seen(committed))
      }),
      { seed, numRuns },
    )
  },
  timeout,
)

test(
  'the official client ends with the history of what is read back',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), async (run) => {
        const frames = transcodeFrames(disturb(run, { kind: 'all' }))
        const reading = agUi.decoder()
        const items = [...frames.flatMap((frame) => reading.push(frame)), ...reading.end()]
        const messages = items.filter(isCommit).flatMap((commit) => commit.messages)
        const view = await clientView(frames)
        const shown = ofTheAgent(view.messages)
        expect(JSON.parse(JSON.stringify(shown))).toEqual(JSON.parse(JSON.stringify(history({ messages }))))
      }),
      { seed, numRuns: Math.ceil(numRuns / 3) },
    )
  },
  timeout,
)

/** What somebody else said stands in snapshots alone, where it cannot be told from what was before. */
const ofTheAgent = (messages: readonly AgUiMessage[]): readonly AgUiMessage[] =>
  messages.filter(({ role }) => role === 'assistant' || role === 'tool')

function transcodeFrames(events: readonly AgentEvent[]): readonly AgUiEvent[] {
  const writing = agUi.transcoder(withHistory)
  const frames: AgUiEvent[] = []
  let before: AgentEvent | undefined
  for (const event of events) {
    if (before?.tier === 'fact' && event.tier === 'delta') frames.push(...writing.settled())
    frames.push(...(event.tier === 'fact' ? writing.fact(event.event) : writing.delta(event.event)))
    before = event
  }
  return [...frames, ...writing.settled(), ...writing.close()]
}

test(
  'a stream that is joined goes on with what its snapshot had',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(), fc.integer({ min: 0, max: 999 }), async (run, at) => {
        fc.pre(run.marked)
        const position = 1 + Math.floor((at * (run.script.length - 1)) / 1000)
        const join = joinAt(run, position)
        const writing = agUi.transcoder(withHistory, {}, join)
        const rest = units(run)
          .slice(position)
          .flatMap((unit) => [
            ...unit.flatMap((event) =>
              event.tier === 'fact' ? writing.fact(event.event) : writing.delta(event.event),
            ),
            ...(unit[0]?.tier === 'fact' ? writing.settled() : []),
          ])
        const frames = [...writing.settled(), ...rest, ...writing.close()]
        const reading = agUi.decoder()
        const items = [...frames.flatMap((frame) => reading.push(frame)), ...reading.end()]
        const read = items.filter(isCommit).flatMap((commit) => commit.messages)
        const view = await clientView(frames)
        // A client puts a result behind its call, so whatever somebody said in between stands elsewhere.
        const shown = ofTheAgent(view.messages)
        const thread = ofTheAgent(history({ messages: [...join.committed.messages, ...read] }))
        expect(JSON.parse(JSON.stringify(thread))).toEqual(JSON.parse(JSON.stringify(shown)))
      }),
      { seed, numRuns: Math.ceil(numRuns / 3) },
    )
  },
  timeout,
)
