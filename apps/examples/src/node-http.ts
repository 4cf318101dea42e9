/** One agent on three wires, with nothing but node: `GET /events`, `POST /agent` for AG-UI, `POST /v1/chat/completions`. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { agUi } from '@factwire/ag-ui'
import type { Message } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { sse, writeTo } from '@factwire/sse'
import { agent } from './agent.ts'
import { jsonIn } from './body.ts'
import { factsOf } from './facts.ts'
import { refusal } from './refusal.ts'

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
      const answer = openaiChat.complete(await factsOf(events), run)
      return sendJson(response, 'error' in answer ? 500 : 200, answer)
    }
    response.writeHead(404).end()
  } catch (error) {
    const { status, body } = refusal(pathname === '/agent' ? agUi : openaiChat, error)
    sendJson(response, status, body)
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body))
}

const said = (text: string): Message => ({ id: 'question', role: 'user', content: [{ type: 'text', text }] })
