/** A worker: nothing but web standards, one file once it is bundled. `GET /?question=…` gives the SSE wire. */
import type { Message } from '@factwire/core'
import { respond, sse } from '@factwire/sse'
import { agent } from './agent.ts'

async function answer(request: Request): Promise<Response> {
  const question = new URL(request.url).searchParams.get('question') ?? ''
  const runId = crypto.randomUUID()
  const messages: Message[] = [{ id: 'question', role: 'user', content: [{ type: 'text', text: question }] }]
  return respond(sse, agent({ runId, messages }), { threadId: runId, runId })
}

// oxlint-disable-next-line import/no-default-export -- workers are started by it
export default { fetch: answer }
