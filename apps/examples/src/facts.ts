/** What a run came to, for a client that asked for the answer as a whole. */
import type { AgentEvent, Fact } from '@factwire/core'

export async function factsOf(events: AsyncIterable<AgentEvent>): Promise<Fact[]> {
  const facts: Fact[] = []
  for await (const { tier, event } of events) if (tier === 'fact') facts.push(event)
  return facts
}
