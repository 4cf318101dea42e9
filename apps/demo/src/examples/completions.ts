import type { AgentEvent, Fact } from '@factwire/core'
import { type ChatRequest, openaiChat } from '@factwire/openai-chat'
import { respond } from '@factwire/sse'

/** What `openaiChat.request` read is answered by a stream, or whole where the client asked for no stream. */
export async function completions(
  { stream, includeUsage, tools, model = 'agent' }: ChatRequest,
  events: AsyncIterable<AgentEvent>,
  runId: string,
): Promise<Response> {
  const run = { threadId: runId, runId, model, startedAt: Date.now() }
  const transcoder = { includeUsage, clientTools: tools.map(({ name }) => name) }
  if (stream) return respond(openaiChat, events, run, { transcoder })
  const facts: Fact[] = []
  try {
    for await (const { tier, event } of events) if (tier === 'fact') facts.push(event)
  } catch {
    // A run without an end is an answer that says so.
  }
  const answer = openaiChat.complete(facts, run)
  // After a 500 the SDKs would ask, and so run the agent, again.
  const failed = { status: 500, headers: { 'x-should-retry': 'false' } }
  return Response.json(answer, 'error' in answer ? failed : { status: 200 })
}
