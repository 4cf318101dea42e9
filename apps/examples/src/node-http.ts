/** One agent on three wires, with nothing but node: `GET /events`, `POST /agent` for AG-UI, `POST /v1/chat/completions`. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { agUi } from '@factwire/ag-ui'
import type { Message } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { sse, writeTo } from '@factwire/sse'
import { agent } from './agent.ts'
import { jsonIn } from './body.ts'
import { refusal } from './refusal.ts'
import { type Whole, whole } from './whole.ts'

export async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  try {
    if (request.method === 'GET' && pathname === '/events') {
      const runId = randomUUID()
      const messages = [said(searchParams.get('question') ?? '')]
      return await writeTo(response, sse, agent({ runId, messages }), { threadId: runId, runId })
    }
    if (request.method === 'POST' && pathname === '/agent') {
      const { threadId, runId, messages } = agUi.request(await jsonIn(request))
      const run = { threadId, runId, history: messages }
      return await writeTo(response, agUi, agent({ runId, messages }), run)
    }
    if (request.method === 'POST' && pathname === '/v1/chat/completions') {
      const { messages, model = 'agent', stream, includeUsage } = openaiChat.request(await jsonIn(request))
      const runId = randomUUID()
      const run = { threadId: runId, runId, model, startedAt: Date.now() }
      const events = agent({ runId, messages })
      if (stream) return await writeTo(response, openaiChat, events, run, { transcoder: { includeUsage } })
      return sendJson(response, await whole(events, run))
    }
    response.writeHead(404).end()
  } catch (error) {
    sendJson(response, refusal(pathname === '/agent' ? agUi : openaiChat, error))
  }
}

function sendJson(response: ServerResponse, { status, headers, body }: Whole): void {
  const more = { 'content-type': 'application/json', connection: 'close' }
  response.writeHead(status, { ...headers, ...more }).end(JSON.stringify(body))
}

const said = (text: string): Message => ({ id: 'question', role: 'user', content: [{ type: 'text', text }] })
