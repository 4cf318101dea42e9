/** What a client of `/v1/responses` posts in, the response out: streamed, or whole, as it asks. */
import type { Fact } from '@factwire/core'
import { openaiResponses } from '@factwire/openai-responses'
import { respond } from '@factwire/sse'
import { agent } from '../agent.ts'
import { jsonIn } from '../body.ts'
import { refusal } from '../refusal.ts'

export async function answer(body: AsyncIterable<Uint8Array> | null): Promise<Response> {
  try {
    const asked = openaiResponses.request(await jsonIn(body))
    const { messages, tools, model = 'agent', stream, echo, encryptedReasoning } = asked
    const runId = crypto.randomUUID()
    const run = { threadId: runId, runId, model, startedAt: Date.now(), history: messages }
    const transcoder = { clientTools: tools.map(({ name }) => name), echo, encryptedReasoning }
    const events = agent({ runId, messages })
    if (stream) return respond(openaiResponses, events, run, { transcoder })
    const facts: Fact[] = []
    for await (const { tier, event } of events) if (tier === 'fact') facts.push(event)
    return Response.json(openaiResponses.complete(facts, run, transcoder))
  } catch (error) {
    const { body: told, ...refused } = refusal(openaiResponses, error)
    return Response.json(told, refused)
  }
}
