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

interface OwnRequest extends RunRequest {
  /** Ids of messages that came without. */
  readonly nameless: readonly string[]
}

function request(body: unknown, { known = new Set() }: RequestOptions = {}): OwnRequest {
  const from = object(body, 'body')
  const nameless: string[] = []
  const named = (): string => {
    const id = freshId('message')
    nameless.push(id)
    return id
  }
  const messages = field(from, 'messages', messagesIn(MOST_MESSAGES, named))
  const threadId = field(from, own(from, 'threadId') === undefined ? 'thread_id' : 'threadId', optional(nonEmptyString))
  const model = field(from, 'model', optional(nonEmptyString))
  return {
    ...(threadId === undefined ? {} : { threadId }),
    ...(model === undefined ? {} : { model }),
    stream: true,
    messages: messages.filter(({ id }) => !known.has(id)),
    decisions: [],
    tools: field(from, 'tools', otherwise(tools, [])),
    nameless,
  }
}

// Errors here are problems, as on every route that is no wire's own.
const { error: _, ...wire } = sse
const protocol: Asking<FlatEvent, unknown, OwnRequest> = { ...wire, request }

export const mount: Mount<FlatEvent, unknown, OwnRequest> = {
  protocol,
  starts: [
    {
      path: '/v1/runs',
      messageIds: 'client',
      nameless: ({ nameless }) => nameless,
      thread: ({ threadId }) => threadId,
    },
  ],
}
