/** An AG-UI endpoint in an Express application. */
import { agUi } from '@factwire/ag-ui'
import { writeTo } from '@factwire/sse'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { agent } from './agent.ts'
import { refusal } from './refusal.ts'

export const app: Express = express()

app.post('/agent', express.json({ limit: '1mb' }), async (request, response) => {
  const { threadId, runId, messages } = agUi.request(request.body)
  await writeTo(response, agUi, agent({ runId, messages }), { threadId, runId, history: messages })
})

const refuse: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const { status, body } = refusal(agUi, error)
  response.status(status).json(body)
}
app.use(refuse)
