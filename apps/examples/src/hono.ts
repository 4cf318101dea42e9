/** A chat completions endpoint in a Hono application: streamed, or as one answer, as its client asks. */
import { openaiChat } from '@factwire/openai-chat'
import { respond } from '@factwire/sse'
import { Hono } from 'hono'
import { agent } from './agent.ts'
import { jsonIn } from './body.ts'
import { factsOf } from './facts.ts'
import { refusal } from './refusal.ts'

export const app: Hono = new Hono()

app.post('/v1/chat/completions', async (context) => {
  const { messages, model = 'agent', stream, includeUsage } = openaiChat.request(await jsonIn(context.req.raw.body))
  const runId = crypto.randomUUID()
  const run = { threadId: runId, runId, model, startedAt: Date.now() }
  const events = agent({ runId, messages })
  if (stream) return respond(openaiChat, events, run, { transcoder: { includeUsage } })
  const answer = openaiChat.complete(await factsOf(events), run)
  return Response.json(answer, { status: 'error' in answer ? 500 : 200 })
})

app.onError((error) => {
  const { status, body } = refusal(openaiChat, error)
  return Response.json(body, { status })
})
