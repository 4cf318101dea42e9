/** Asks a provider of the Anthropic Messages API with a thread, and gives its answer as events. */
import { anthropicMessages, history } from '@factwire/anthropic-messages'
import { type AgentEvent, decode, type Message } from '@factwire/core'
import { readSse } from '@factwire/sse'

export async function* ask(url: string, key: string, messages: readonly Message[]): AsyncGenerator<AgentEvent> {
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': key },
    body: JSON.stringify({ model: 'some-model', max_tokens: 4096, stream: true, ...history({ messages }) }),
  })
  yield* decode(anthropicMessages, readSse(answer))
}
