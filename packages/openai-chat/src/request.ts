/**
 * Turns the body of a chat completions request into what a run needs: messages, decisions, the client's tools, and how to answer.
 *
 * Such a request brings the whole conversation each time, without ids. What of it is new is where it stands, nothing cleverer.
 */
import {
  type ClientTool,
  type Decision,
  decision,
  type JsonObject,
  type Message,
  type Pending,
  type RequestOptions,
  type RunRequest,
  saidIn,
  type ToolResultBlock,
} from '@factwire/core'
import {
  absent,
  arrayAt,
  at,
  flagAt,
  nameAt,
  objectAt,
  optionalArray,
  optionalString,
  own,
  refuse,
  type Unread,
} from './field.ts'
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
  const from = objectAt(body, 'body')
  const count = own(from, 'n')
  if (!absent(count) && count !== 1) return refuse('n', '1, because a run has one answer')
  const messages = readMessages(arrayAt(own(from, 'messages'), 'messages'), 'messages')
  const options = own(from, 'stream_options')
  const model = optionalString(from, 'model', '')
  const user = optionalString(from, 'user', '')
  return {
    ...(model === undefined ? {} : { model }),
    stream: flagAt(from, 'stream', ''),
    messages: known ? unknownMessages(messages, known.size > 0, open) : messages,
    decisions: decisionsOf(messages, open),
    tools: readTools(from),
    includeUsage: !absent(options) && flagAt(objectAt(options, 'stream_options'), 'include_usage', 'stream_options'),
    ...(user === undefined ? {} : { user }),
    rest: Object.fromEntries(Object.entries(from).filter(([key]) => !READ.has(key))) as JsonObject,
  }
}

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

/** `functions` is the form before `tools`. */
function readTools(from: Unread): readonly ClientTool[] {
  const tools = optionalArray(from, 'tools', '').map((value, index) => {
    const path = `tools[${index}]`
    const tool = objectAt(value, path)
    const type = own(tool, 'type')
    if (!absent(type) && type !== 'function') return refuse(at(path, 'type'), 'function')
    return readTool(own(tool, 'function'), at(path, 'function'))
  })
  const functions = optionalArray(from, 'functions', '').map((value, index) => readTool(value, `functions[${index}]`))
  return [...tools, ...functions]
}

function readTool(value: unknown, path: string): ClientTool {
  const tool = objectAt(value, path)
  const description = optionalString(tool, 'description', path)
  const parameters = own(tool, 'parameters')
  return {
    name: nameAt(tool, 'name', path),
    ...(description === undefined ? {} : { description }),
    ...(absent(parameters) ? {} : { parameters: objectAt(parameters, at(path, 'parameters')) as JsonObject }),
  }
}
