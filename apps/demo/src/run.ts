/** The run that is shown: its events, read once, for any number of readers. */
import { type AgentEvent, type RunContext, decode } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { readSse } from '@factwire/sse'

export const RUN: RunContext = {
  threadId: 'thread-1',
  runId: 'run-1',
  model: 'demo-large',
  startedAt: 1764500000000,
  // The thread before it, by which a wire can take back what it has shown.
  history: [],
}

/** One event, and what became of it. */
export interface Moment {
  readonly event: AgentEvent
  /** How often it comes through to the wires: 0 when it is lost, 2 when it is doubled. */
  readonly copies: number
  /** What the frames are that it became, by the name of the wire. */
  readonly frames: Map<string, string[]>
}

/** Says how often an event comes through. */
export type Line = (event: AgentEvent) => number

/** The run of such events. They are asked for when the first reader comes. */
export function runOf(events: AsyncIterable<AgentEvent>, line: Line): AsyncIterable<Moment> {
  return shared(moments(events, line))
}

async function* moments(events: AsyncIterable<AgentEvent>, line: Line): AsyncGenerator<Moment> {
  for await (const event of events) yield { event, copies: line(event), frames: new Map() }
}

/** What one answer of a provider says. */
export async function* answerOf(provider: string): AsyncGenerator<AgentEvent> {
  const answer = await fetch(provider, { method: 'POST', body: JSON.stringify({ model: 'demo-large', stream: true }) })
  yield* decode(openaiChat, readSse(answer), { reasoning: 'text' })
}

/** Each reader gets everything, from the beginning, and may leave. */
function shared<Item>(source: AsyncGenerator<Item>): AsyncIterable<Item> {
  const results: Promise<IteratorResult<Item>>[] = []
  return {
    async *[Symbol.asyncIterator]() {
      for (let at = 0; ; at++) {
        const result = await (results[at] ??= source.next())
        if (result.done) return
        yield result.value
      }
    },
  }
}
