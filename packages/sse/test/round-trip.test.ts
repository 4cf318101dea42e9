import {
  type AgentEvent,
  type ContentBlock,
  type Fact,
  type Json,
  type Pending,
  decode,
  textOf,
  transcode,
} from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Disturbance, anyRun, context, disturb } from '@factwire/conformance'
import { readSse, sse } from '../src/index.ts'

const seed = 3
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 400)
const timeout = 600_000

async function overTheWire(events: readonly AgentEvent[]): Promise<Fact[]> {
  const bytes = async function* (): AsyncGenerator<string> {
    yield* transcode(sse, events, context)
  }
  const facts: Fact[] = []
  for await (const event of decode(sse, readSse(bytes()))) if (event.tier === 'fact') facts.push(event.event)
  return facts
}

/** What the wire has a place for: not thinking, nor whose turn a call is, nor how its arguments were spaced. */
function carried(facts: readonly Fact[]): Json {
  const visible = new Set(facts.map((fact) => (fact.type === 'assistant_message' ? fact.id : messageOf(fact))))
  const kept = facts.flatMap((fact): unknown[] => {
    switch (fact.type) {
      case 'assistant_thinking':
      case 'continuation':
        return []
      case 'tool_call': {
        const { raw_input: _spacing, disposition: _turn, ...rest } = fact
        return [rest]
      }
      case 'assistant_message':
        return [{ ...fact, content: textOf(fact.content) }]
      case 'tool_result': {
        const { data, ...rest } = { ...fact, content: joined(fact.content) }
        // A value that says no more than the text is the text.
        return [data === undefined || data === null || data === textOf(fact.content) ? rest : { ...rest, data }]
      }
      case 'step_ended':
        // A message of which nothing is seen is none to a reader.
        return visible.has(fact.message_id) ? [fact] : []
      case 'awaiting':
        return [{ ...fact, pending: fact.pending?.map(ticketed) }]
      case 'state_snapshot':
      case 'activity_snapshot': {
        const { revision: _patches, ...rest } = fact
        return [rest]
      }
      default:
        return [fact]
    }
  })
  return JSON.parse(JSON.stringify(kept)) as Json
}

/** Texts stand as one. */
const joined = (content: readonly ContentBlock[]): unknown =>
  content.length > 0 && content.every(({ type }) => type === 'text') ? textOf(content) : content

/** A ticket does not say when it expires, and leaves out what is empty. */
function ticketed(pending: Pending): unknown {
  const { expires_at: _time, message, parameters, ...rest } = pending
  return { ...rest, ...(message ? { message } : {}), ...(parameters === null ? {} : { parameters }) }
}

const messageOf = (fact: Fact): string | undefined => (fact.type === 'tool_call' ? fact.message_id : undefined)

const facts = (events: readonly AgentEvent[]): Fact[] =>
  events.flatMap((event) => (event.tier === 'fact' ? [event.event] : []))

for (const kind of ['none', 'all'] as const) {
  test(
    `facts come back as they went, with ${kind === 'all' ? 'every delta' : 'no delta'} before them`,
    async () => {
      await fc.assert(
        fc.asyncProperty(anyRun(), async (run) => {
          fc.pre(kind === 'none' || run.marked)
          const disturbance: Disturbance = { kind }
          const events = disturb(run, disturbance)
          expect(carried(await overTheWire(events))).toEqual(carried(facts(events)))
        }),
        { seed, numRuns },
      )
    },
    timeout,
  )
}
