import { agUi } from '@factwire/ag-ui'
import { type AgentEvent, decode, type RunContext } from '@factwire/core'
import { readSse, respond, sse } from '@factwire/sse'

/** What `POST /v1/runs` of Awaken 0.6 streams, as events. */
export const events = (answer: Response): AsyncIterable<AgentEvent> => decode(sse, readSse(answer))

/** The same run for an AG-UI client. */
export const forward = (answer: Response, run: RunContext): Response => respond(agUi, events(answer), run)
