import {
  type AgentEvent,
  type Awaiting,
  type ContentBlock,
  type Fact,
  type Json,
  decode,
  type RunContext,
  textOf,
  transcode,
  type WireMessage,
} from '@factwire/core'
import { readSse } from '@factwire/sse'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Disturbance, anyRun, context, disturb } from '../../../testing/runs.ts'
import { toolMessageId } from '../src/history.ts'
import { agUi } from '../src/index.ts'

const seed = 4
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 300)
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

/**
 * What the wire has a place for: not thinking that was not shown, nor whose turn a call is, nor how long a model took; and the usage of
 * a model comes once, at the end.
 */
function carried(facts: readonly Fact[]): Json {
  const visible = new Set(facts.flatMap((fact) => (fact.type === 'assistant_message' ? [fact.id] : callOwner(fact))))
  let results = { messageId: '', count: 0 }
  const kept = facts.flatMap((fact): unknown[] => {
    switch (fact.type) {
      case 'assistant_thinking':
      case 'continuation':
      case 'inference_completed':
        return []
      case 'tool_call': {
        const { disposition: _, ...rest } = fact
        return [rest]
      }
      case 'assistant_message':
        return [{ ...fact, content: textOf(fact.content) }]
      case 'tool_result': {
        const messageId = fact.message_id ?? ''
        results = { messageId, count: results.messageId === messageId ? results.count + 1 : 0 }
        return [{ ...fact, content: joined(fact.content), message_id: toolMessageId(messageId, results.count) }]
      }
      case 'awaiting':
        return [awaited(fact)]
      case 'step_ended':
        // A message of which nothing is seen is none to a reader.
        return visible.has(fact.message_id) ? [fact] : []
      default:
        return [fact]
    }
  })
  return JSON.parse(JSON.stringify(kept)) as Json
}

/** An interrupt holds approvals alone, and who waits for nobody has just ended. */
function awaited(fact: Awaiting): unknown {
  const pending = fact.pending ?? []
  const approvals = pending.filter(({ kind }) => kind === 'approval')
  const told = approvals.length > 0 ? approvals : pending
  if (told.length === 0) return { type: 'run_finished', exhausted: false, cause: { type: 'natural_end' } }
  return { ...fact, pending_tool_use_id: told[0]?.tool_use_id, pending: told }
}

const callOwner = (fact: Fact): string[] => (fact.type === 'tool_call' && fact.message_id ? [fact.message_id] : [])

const joined = (content: readonly ContentBlock[]): unknown =>
  content.every(({ type }) => type === 'text') ? textOf(content) : content

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
