/** A route handler, as frameworks with file routes take it: `app/agent/route.ts` in Next. */
import { agUi } from '@factwire/ag-ui'
import { respond } from '@factwire/sse'
import { agent } from './agent.ts'
import { jsonIn } from './body.ts'
import { refusal } from './refusal.ts'

export async function POST(request: Request): Promise<Response> {
  try {
    const { threadId, runId, messages } = agUi.request(await jsonIn(request.body))
    return respond(agUi, agent({ runId, messages }), { threadId, runId, history: messages })
  } catch (error) {
    const { body, ...answer } = refusal(agUi, error)
    return Response.json(body, answer)
  }
}
