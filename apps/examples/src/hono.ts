/** A chat completions endpoint in a Hono application: streamed, or as one answer, as its client asks. */
import { openaiChat } from '@factwire/openai-chat'
import { respond } from '@factwire/sse'
import { Hono } from 'hono'
import { agent } from './agent.ts'
import { jsonIn } from './body.ts'
import { refusal } from './refusal.ts'
import { whole } from './whole.ts'

export const app: Hono = new Hono()

app.post('/v1/chat/completions', async (context) => {
  const { messages, model = 'agent', stream, includeUsage } = openaiChat.request(await jsonIn(context.req.raw.body))
  const runId = crypto.randomUUID()
  const run = { threadId: runId, runId, model, startedAt: Date.now() }
  const events = agent({ runId, messages })
  if (stream) return respond(openaiChat, events, run, { transcoder: { includeUsage } })
  const { body, ...answer } = await whole(events, run)
  return Response.json(body, answer)
})

app.onError((error) => {
  const { body, ...answer } = refusal(openaiChat, error)
  return Response.json(body, answer)
})
