import { type AiSdkRequest, aiSdk } from '@factwire/ai-sdk'
import type { AgentEvent } from '@factwire/core'
import { respond } from '@factwire/sse'

type Agent = (asked: AiSdkRequest, runId: string) => AsyncIterable<AgentEvent>

/** What `useChat` posts in, its stream out: a route handler, as Next and others with file routes take it. */
export const chatRoute =
  (agent: Agent) =>
  async (request: Request): Promise<Response> => {
    let asked: AiSdkRequest
    try {
      asked = aiSdk.request(await request.json())
    } catch (error) {
      return Response.json(aiSdk.error(400, { code: 'bad_request', message: String(error) }), { status: 400 })
    }
    const { threadId, messages: history, continues } = asked
    const runId = crypto.randomUUID()
    const transcoder = continues === undefined ? {} : { messageId: continues }
    return respond(aiSdk, agent(asked, runId), { threadId, runId, history }, { transcoder })
  }
