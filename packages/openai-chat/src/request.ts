/**
 * Turns the body of a chat completions request into what a run needs: messages, decisions, the client's tools, and how to answer.
 *
 * Such a request brings the whole conversation each time, without ids. What of it is new is where it stands, nothing cleverer.
 */
import {
  boolean,
  type ClientTool,
  type Decision,
  decision,
  field,
  type JsonObject,
  type Message,
  nonEmptyString,
  object,
  ofProtocol,
  oneOf,
  optional,
  otherwise,
  own,
  type Pending,
  record,
  refuseValue,
  type RequestOptions,
  type RunRequest,
  saidIn,
  string,
  type ToolResultBlock,
} from '@factwire/core'
import { listOf } from './list.ts'
import { readMessages } from './request-messages.ts'

/** Ids of its messages are made from their place in the body: `message-0`. */
export interface ChatRequest extends RunRequest {
  /** The client wants usage at the end of the stream. Without a stream it always gets it. */
  readonly includeUsage: boolean
  readonly user?: string
  /** All other fields, as they were sent: settings of the model, and what is not known here. */
  readonly rest: JsonObject
}

/** Fields that are read completely. Of `stream_options` a server may know more than is read here. */
const READ: ReadonlySet<string> = new Set(['messages', 'tools', 'functions', 'model', 'stream', 'user'])

/**
 * Reads parsed JSON of unknown origin.
 *
 * @throws FactwireError `invalid_value` or `too_large`, with the path in the body.
 */
export function request(body: unknown, { known, open = [] }: RequestOptions = {}): ChatRequest {
  const { messages, ...asked } = readBody(body, '')
  return {
    ...asked,
    messages: known ? unknownMessages(messages, known.size > 0, open) : messages,
    decisions: decisionsOf(messages, open),
  }
}

const flag = otherwise(boolean, false)

const readBody = ofProtocol('openai-chat', (body): Omit<ChatRequest, 'decisions'> => {
  const from = object(body, 'body')
  const count = own(from, 'n') ?? 1
  if (count !== 1) return refuseValue('n', '1, because a run has one answer', count)
  const messages = field(from, 'messages', readMessages)
  const options = field(from, 'stream_options', otherwise(object, {}))
  const model = field(from, 'model', optional(string))
  const user = field(from, 'user', optional(string))
  return {
    ...(model === undefined ? {} : { model }),
    stream: field(from, 'stream', flag),
    messages,
    // `functions` is the form before `tools`.
    tools: [
      ...field(from, 'tools', otherwise(listOf(tool), [])).map((entry) => entry.function),
      ...field(from, 'functions', otherwise(listOf(clientTool), [])),
    ],
    includeUsage: field(options, 'include_usage', flag, 'stream_options'),
    ...(user === undefined ? {} : { user }),
    rest: Object.fromEntries(Object.entries(from).filter(([key]) => !READ.has(key))),
  }
})

const clientTool = record<ClientTool>({
  name: nonEmptyString,
  description: optional(string),
  parameters: optional(object),
})

const tool = record<{ readonly type: 'function'; readonly function: ClientTool }>({
  type: otherwise(oneOf('function'), 'function'),
  function: clientTool,
})

/**
 * What the server has no copy of: what stands behind the last words of the assistant, and wherever they stand, results of calls
 * that the client was to run. Calls are the server's own to make.
 */
function unknownMessages(messages: readonly Message[], begun: boolean, open: readonly Pending[]): readonly Message[] {
  const newFrom = begun ? messages.findLastIndex(({ role }) => role === 'assistant') + 1 : 0
  const awaited = new Set(open.filter(({ kind }) => kind === 'client').map(({ tool_use_id }) => tool_use_id))
  return messages.flatMap((message, index): readonly Message[] => {
    const [result] = resultsIn(message)
    if (result) return awaited.delete(result.tool_use_id) ? [message] : []
    if (index < newFrom) return []
    if (message.role !== 'assistant') return [message]
    const content = message.content.filter(({ type }) => type === 'text')
    return content.length > 0 ? [{ ...message, content }] : []
  })
}

/** Whoever asks for approval by a call reads the answer as its result. */
function decisionsOf(messages: readonly Message[], open: readonly Pending[]): readonly Decision[] {
  const results = messages.flatMap(resultsIn)
  return open.flatMap((pending) => {
    if (pending.kind === 'client') return []
    const callId = pending.approval_id ?? pending.tool_use_id
    const answer = results.find(({ tool_use_id }) => tool_use_id === callId)
    return answer ? [decision(pending, saidIn(answer))] : []
  })
}

const resultsIn = ({ content }: Message): readonly ToolResultBlock[] =>
  content.filter((block) => block.type === 'tool_result')
