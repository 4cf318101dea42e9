import { agUi, type AgUiRequest } from '@factwire/ag-ui'
import { decode, type WireMessage } from '@factwire/core'
import { history, openaiChat } from '@factwire/openai-chat'
import { readSse, writeTo } from '@factwire/sse'
import type { Express } from 'express'
import type { OpenAI } from 'openai'
import { jsonIn } from '../body.ts'
import { refusal } from '../refusal.ts'

async function* ask(client: OpenAI, model: string, { messages }: AgUiRequest): AsyncGenerator<WireMessage> {
  const asking = client.chat.completions.create({ model, stream: true, messages: history({ messages }) })
  yield* readSse(await asking.asResponse())
}

/** To an application that has the SDK's client, one more route: the same model, for AG-UI clients. */
export function addRoute(app: Express, client: OpenAI, model: string): void {
  app.post('/agent', async (request, response) => {
    try {
      // An application that parses every body has done so already.
      const asked = agUi.request(request.body ?? (await jsonIn(request)))
      const { threadId, runId, messages } = asked
      const run = { threadId, runId, history: messages }
      await writeTo(response, agUi, decode(openaiChat, ask(client, model, asked)), run)
    } catch (error) {
      const { status, headers, body } = refusal(agUi, error)
      response.status(status).set(headers).json(body)
    }
  })
}
