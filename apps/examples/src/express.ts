/** `POST /agent` for AG-UI and `POST /v1/chat/completions` in an Express application. */
import { agUi } from '@factwire/ag-ui'
import { openaiChat } from '@factwire/openai-chat'
import { writeTo } from '@factwire/sse'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { agent } from './agent.ts'
import { refusal } from './refusal.ts'
import { whole } from './whole.ts'

export const app: Express = express()

app.post('/agent', express.json({ limit: '1mb' }), async (request, response) => {
  const { threadId, runId, messages } = agUi.request(request.body)
  await writeTo(response, agUi, agent({ runId, messages }), { threadId, runId, history: messages })
})

app.post('/v1/chat/completions', express.json({ limit: '1mb' }), async (request, response) => {
  const { messages, model = 'agent', stream, includeUsage } = openaiChat.request(request.body)
  const runId = crypto.randomUUID()
  const run = { threadId: runId, runId, model, startedAt: Date.now() }
  const events = agent({ runId, messages })
  if (stream) return writeTo(response, openaiChat, events, run, { transcoder: { includeUsage } })
  const { status, headers, body } = await whole(events, run)
  response.status(status).set(headers).json(body)
})

const refuse: ErrorRequestHandler = (error: unknown, { path }, response, _next) => {
  const { status, headers, body } = refusal(path === '/agent' ? agUi : openaiChat, error)
  response.status(status).set(headers).json(body)
}
app.use(refuse)
