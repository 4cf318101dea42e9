/** The gateway's own requests, answered on the SSE wire: `POST /v1/runs`, and the events of any run. */
import {
  arrayOf,
  type ClientTool,
  field,
  nonEmptyString,
  object,
  optional,
  optionalJson,
  otherwise,
  own,
  record,
  type RequestOptions,
  type RunRequest,
} from '@factwire/core'
import { type FlatEvent, sse } from '@factwire/sse'
import { freshId } from '../ids.ts'
import { messagesIn } from '../messages.ts'
import type { Asking, Mount } from '../mount.ts'

const MOST_MESSAGES = 1000
const MOST_TOOLS = 128

const tools = arrayOf(
  record<ClientTool>({ name: nonEmptyString, description: optional(nonEmptyString), parameters: optionalJson }),
  MOST_TOOLS,
)

function request(body: unknown, { known = new Set() }: RequestOptions = {}): RunRequest {
  const from = object(body, 'body')
  const messages = field(
    from,
    'messages',
    messagesIn(MOST_MESSAGES, () => freshId('message')),
  )
  const threadId = field(from, own(from, 'threadId') === undefined ? 'thread_id' : 'threadId', optional(nonEmptyString))
  const model = field(from, 'model', optional(nonEmptyString))
  return {
    ...(threadId === undefined ? {} : { threadId }),
    ...(model === undefined ? {} : { model }),
    stream: true,
    messages: messages.filter(({ id }) => !known.has(id)),
    decisions: [],
    tools: field(from, 'tools', otherwise(tools, [])),
  }
}

// Errors here are problems, as on every route that is no wire's own.
const { error: _, ...wire } = sse
const protocol: Asking<FlatEvent, unknown, RunRequest> = { ...wire, request }

export const mount: Mount<FlatEvent> = {
  protocol,
  starts: [{ path: '/v1/runs', messageIds: 'client', thread: ({ threadId }) => threadId }],
}
