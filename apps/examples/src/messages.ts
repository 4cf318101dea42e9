/** What a client of the Anthropic Messages API posts in, the run out: as a stream, or whole where it asked for none. */
import { anthropicMessages } from '@factwire/anthropic-messages'
import type { Fact } from '@factwire/core'
import { respond } from '@factwire/sse'
import { agent } from './agent.ts'
import { jsonIn } from './body.ts'
import { refusal } from './refusal.ts'

export async function answer(body: AsyncIterable<Uint8Array> | null): Promise<Response> {
  try {
    const { messages, model = 'agent', stream, tools, thinking } = anthropicMessages.request(await jsonIn(body))
    const runId = crypto.randomUUID()
    const run = { threadId: runId, runId, model, history: messages }
    const transcoder = { clientTools: tools.map(({ name }) => name), thinking }
    const events = agent({ runId, messages })
    if (stream) return respond(anthropicMessages, events, run, { transcoder })
    const facts: Fact[] = []
    try {
      for await (const { tier, event } of events) if (tier === 'fact') facts.push(event)
    } catch {
      // A run without an end is an answer that says so.
    }
    const whole = anthropicMessages.complete(facts, run, transcoder)
    // After a 500 the SDKs would ask, and so run the agent, again.
    const failed = { status: 500, headers: { 'x-should-retry': 'false' } }
    return Response.json(whole, whole.type === 'error' ? failed : { status: 200 })
  } catch (error) {
    const { body: why, ...refused } = refusal(anthropicMessages, error)
    return Response.json(why, refused)
  }
}
