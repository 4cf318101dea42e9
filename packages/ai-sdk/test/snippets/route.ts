import { type AiSdkRequest, aiSdk } from '@factwire/ai-sdk'
import type { AgentEvent } from '@factwire/core'
import { respond } from '@factwire/sse'
import { jsonIn } from './body.ts'
import { refusal } from './refusal.ts'

export type Agent = (asked: AiSdkRequest, runId: string) => AsyncIterable<AgentEvent>

/** What `useChat` posts in, its stream out. */
export async function answer(agent: Agent, body: AsyncIterable<Uint8Array> | null): Promise<Response> {
  try {
    const asked = aiSdk.request(await jsonIn(body))
    const { threadId, messages: history, continues } = asked
    const runId = crypto.randomUUID()
    const transcoder = continues === undefined ? {} : { messageId: continues }
    return respond(aiSdk, agent(asked, runId), { threadId, runId, history }, { transcoder })
  } catch (error) {
    const { body: told, ...refused } = refusal(aiSdk, error)
    return Response.json(told, refused)
  }
}

/** A route handler, as Next and others with file routes take it. */
export const chatRoute =
  (agent: Agent) =>
  (request: Request): Promise<Response> =>
    answer(agent, request.body)
