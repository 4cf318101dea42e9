import type { AgentEvent, Fact } from '@factwire/core'
import { type ChatRequest, openaiChat } from '@factwire/openai-chat'
import { respond } from '@factwire/sse'

/** What `openaiChat.request` read is answered by a stream, or whole where the client asked for no stream. */
export async function completions(
  { stream, includeUsage, tools, model = 'agent' }: ChatRequest,
  events: AsyncIterable<AgentEvent>,
  runId: string,
): Promise<Response> {
  const run = { threadId: runId, runId, model }
  const transcoder = { includeUsage, clientTools: tools.map(({ name }) => name) }
  if (stream) return respond(openaiChat, events, run, { transcoder })
  const facts: Fact[] = []
  for await (const { tier, event } of events) if (tier === 'fact') facts.push(event)
  const answer = openaiChat.complete(facts, run)
  return Response.json(answer, { status: 'error' in answer ? 500 : 200 })
}
