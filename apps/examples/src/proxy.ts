/** An OpenAI-compatible provider, served to AG-UI clients: its answer comes through as it is written. */
import { agUi, type AgUiRequest } from '@factwire/ag-ui'
import { decode, type WireMessage } from '@factwire/core'
import { history, openaiChat } from '@factwire/openai-chat'
import { readSse, respond } from '@factwire/sse'
import { jsonIn } from './body.ts'

export interface Provider {
  /** Of its chat completions. */
  readonly url: string
  readonly model: string
  readonly key: string
}

export async function proxy(request: Request, provider: Provider): Promise<Response> {
  const asked = agUi.request(await jsonIn(request.body))
  const { threadId, runId, messages } = asked
  return respond(agUi, decode(openaiChat, ask(asked, provider)), { threadId, runId, history: messages })
}

async function* ask({ messages, tools }: AgUiRequest, { url, model, key }: Provider): AsyncGenerator<WireMessage> {
  const functions = tools.map((tool) => ({ type: 'function', function: tool }))
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model,
      stream: true,
      messages: history({ messages }),
      ...(functions.length > 0 ? { tools: functions } : {}),
    }),
  })
  yield* readSse(answer)
}
