import { agUi, type AgUiRequest } from '@factwire/ag-ui'
import { decode, type WireMessage } from '@factwire/core'
import { history, openaiChat } from '@factwire/openai-chat'
import { readSse, writeTo } from '@factwire/sse'
import express, { type Express } from 'express'
import type { OpenAI } from 'openai'

async function* ask(client: OpenAI, model: string, { messages }: AgUiRequest): AsyncGenerator<WireMessage> {
  const asking = client.chat.completions.create({ model, stream: true, messages: history({ messages }) })
  yield* readSse(await asking.asResponse())
}

/** To an application that has the SDK's client, one more route: the same model, for AG-UI clients. */
export function addRoute(app: Express, client: OpenAI, model: string): void {
  app.post('/agent', express.json({ limit: '1mb' }), async (request, response) => {
    const asked = agUi.request(request.body)
    const { threadId, runId, messages } = asked
    await writeTo(response, agUi, decode(openaiChat, ask(client, model, asked)), { threadId, runId, history: messages })
  })
}
