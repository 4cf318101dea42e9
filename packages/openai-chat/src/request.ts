/**
 * Turns the body of a chat completions request into what a run needs: messages, the client's tools, results, and how to answer.
 *
 * Such a request brings the whole conversation each time, without ids. What of it is new is where it stands, nothing cleverer.
 */
import type { Json, JsonObject, Message, ToolResultBlock } from '@factwire/core'
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

export interface ChatRequest {
  /** All messages of the request, one for one. Ids are made from their place: `message-0`. */
  readonly messages: readonly Message[]
  /** Where the messages after the last one of the assistant begin: what the client adds with this request. */
  readonly newFrom: number
  /** Every result in the request, those of old calls too: only the thread knows which calls are still open. */
  readonly results: readonly ToolResultBlock[]
  /** The tools that the client itself runs. */
  readonly tools: readonly ClientTool[]
  readonly model?: string
  readonly stream: boolean
  /** The client wants usage at the end of the stream. Without a stream it always gets it. */
  readonly includeUsage: boolean
  readonly user?: string
  /** All other fields, as they were sent: settings of the model, and what is not known here. */
  readonly rest: JsonObject
}

export interface ClientTool {
  readonly name: string
  readonly description?: string
  /** JSON Schema of the arguments. */
  readonly parameters?: Json
}

/** Fields that are read completely. Of `stream_options` a server may know more than is read here. */
const READ: ReadonlySet<string> = new Set(['messages', 'tools', 'functions', 'model', 'stream', 'user'])

/**
 * Reads parsed JSON of unknown origin.
 *
 * @throws FactwireError `invalid_value` or `too_large`, with the path in the body.
 */
export function request(body: unknown): ChatRequest {
  const from = objectAt(body, 'body')
  const count = own(from, 'n')
  if (!absent(count) && count !== 1) return refuse('n', '1, because a run has one answer')
  const messages = readMessages(arrayAt(own(from, 'messages'), 'messages'), 'messages')
  const options = own(from, 'stream_options')
  const model = optionalString(from, 'model', '')
  const user = optionalString(from, 'user', '')
  return {
    messages,
    newFrom: messages.findLastIndex(({ role }) => role === 'assistant') + 1,
    results: messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_result')),
    tools: readTools(from),
    ...(model === undefined ? {} : { model }),
    stream: flagAt(from, 'stream', ''),
    includeUsage: !absent(options) && flagAt(objectAt(options, 'stream_options'), 'include_usage', 'stream_options'),
    ...(user === undefined ? {} : { user }),
    rest: Object.fromEntries(Object.entries(from).filter(([key]) => !READ.has(key))) as JsonObject,
  }
}

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
