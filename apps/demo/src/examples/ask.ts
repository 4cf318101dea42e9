import { type AgentEvent, decode } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { readSse, respond } from '@factwire/sse'

/** What a provider answers, as events. An answer that is cut, or no stream at all, is a run that fails. */
export async function* ask(url: string, question: string): AsyncGenerator<AgentEvent> {
  const body = { model: 'some-model', stream: true, messages: [{ role: 'user', content: question }] }
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  yield* decode(openaiChat, readSse(answer))
}

/** The same for a chat client of one's own. */
export function forward(url: string, question: string): Response {
  return respond(openaiChat, ask(url, question), { threadId: 'thread-1', runId: 'run-1' })
}
