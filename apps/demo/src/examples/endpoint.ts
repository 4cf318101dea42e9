import { type AgUiRequest, agUi } from '@factwire/ag-ui'
import type { AgentEvent } from '@factwire/core'
import { respond } from '@factwire/sse'

/** What an AG-UI client posts in, the run as its events out. */
export async function endpoint(
  request: Request,
  agent: (asked: AgUiRequest) => AsyncIterable<AgentEvent>,
): Promise<Response> {
  let asked: AgUiRequest
  try {
    asked = agUi.request(await request.json())
  } catch (error) {
    return Response.json(agUi.error(400, { code: 'bad_request', message: String(error) }), { status: 400 })
  }
  const { threadId, runId, messages: history } = asked
  return respond(agUi, agent(asked), { threadId, runId, history })
}
