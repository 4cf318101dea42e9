/** What a run came to, as one chat completion: for a client that asked for no stream. */
import type { AgentEvent, Fact, RunContext } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'

export interface Whole {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export async function whole(events: AsyncIterable<AgentEvent>, run: RunContext): Promise<Whole> {
  const facts: Fact[] = []
  try {
    for await (const { tier, event } of events) if (tier === 'fact') facts.push(event)
  } catch {
    // A run that broke off has no end, and its answer says so. What was thrown is for a log, not for a client.
  }
  const body = openaiChat.complete(facts, run)
  // OpenAI's SDKs send a request that got a 500 again, which would run the agent again.
  return 'error' in body
    ? { status: 500, headers: { 'x-should-retry': 'false' }, body }
    : { status: 200, headers: {}, body }
}
