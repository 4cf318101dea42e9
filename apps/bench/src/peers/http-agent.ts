/** `HttpAgent` of the official AG-UI client, whole: from the response to the messages. */
import { HttpAgent, type Message } from '@ag-ui/client'
import { type RunContext, textOf } from '@factwire/core'
import type { Contender } from '../contender.ts'
import { words } from '../shown.ts'
import { bodyOf, type Stream } from '../stream.ts'

const HEADERS = { 'content-type': 'text/event-stream' }

export function httpAgent(stream: Stream, { threadId, runId, history = [] }: RunContext): Contender {
  const before = history.map(({ id, role, content }): Message => {
    return { id, role: role === 'user' ? 'user' : 'assistant', content: textOf(content) }
  })
  return {
    name: '@ag-ui/client HttpAgent',
    async run(take) {
      const agent = new HttpAgent({
        url: 'http://localhost/',
        threadId,
        initialMessages: before,
        fetch: async () => new Response(bodyOf(stream), { headers: HEADERS }),
      })
      await agent.runAgent({ runId })
      for (const message of agent.messages.slice(before.length)) {
        if (message.role !== 'assistant') continue
        take(message.content ?? '')
        for (const call of message.toolCalls ?? []) take(call.function.arguments)
      }
    },
    shows: words,
  }
}
