/**
 * Turns the body of a Messages request into what a run needs: messages, decisions, the client's tools, and how to answer.
 *
 * Such a request brings the whole conversation each time, without ids. What of it is new is where it stands, nothing cleverer.
 */
import {
  arrayOf,
  boolean,
  type ClientTool,
  count,
  type Decision,
  decision,
  field,
  isObject,
  type JsonObject,
  type Message,
  nonEmptyString,
  object,
  ofProtocol,
  optional,
  otherwise,
  own,
  type Pending,
  record,
  type RequestOptions,
  type RunRequest,
  saidIn,
  string,
  type ToolResultBlock,
} from '@factwire/core'
import { approvalIdOf } from './approval.ts'
import { readMessages, textBlocks } from './request-messages.ts'
import { refuseThread } from './threads.ts'

/** Ids of its messages are made from their place in the body: `message-0`. */
export interface MessagesRequest extends RunRequest {
  readonly maxTokens?: number
  /** The client wants to see thoughts. */
  readonly thinking: boolean
  readonly user?: string
  /** Tools that are known by their type alone, as they were sent. */
  readonly typedTools: readonly JsonObject[]
  /** All other fields, as they were sent: settings of the model, and what is not known here. */
  readonly rest: JsonObject
}

/** Fields that are read completely. */
const READ: ReadonlySet<string> = new Set(['messages', 'system', 'tools', 'model', 'stream', 'max_tokens'])

/** More is an attack or a mistake. */
const MOST_TOOLS = 10_000

/**
 * Reads parsed JSON of unknown origin.
 *
 * @throws FactwireError `invalid_value` or `too_large`, with the path in the body.
 */
export function request(body: unknown, { known, open = [] }: RequestOptions = {}): MessagesRequest {
  const { messages, ...asked } = readBody(body, '')
  return {
    ...asked,
    messages: known ? unknownMessages(messages, known.size > 0, open) : messages,
    decisions: decisionsOf(messages, open),
  }
}

const readBody = ofProtocol('anthropic-messages', (body): Omit<MessagesRequest, 'decisions'> => {
  const from = object(body, 'body')
  refuseThread(own(from, 'thread'))
  const model = field(from, 'model', optional(string))
  const maxTokens = field(from, 'max_tokens', optional(count))
  const system = field(from, 'system', otherwise(textBlocks, []))
  const metadata = field(from, 'metadata', otherwise(object, {}))
  const user = field(metadata, 'user_id', optional(string), 'metadata')
  const thinking = own(from, 'thinking')
  const tools = field(from, 'tools', otherwise(arrayOf(object, MOST_TOOLS), []))
  return {
    ...(model === undefined ? {} : { model }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    stream: field(from, 'stream', otherwise(boolean, false)),
    thinking: isObject(thinking) && thinking['type'] !== 'disabled',
    messages: [
      ...(system.length === 0 ? [] : [{ id: 'system', role: 'system', content: system } as const]),
      ...field(from, 'messages', readMessages),
    ],
    tools: tools.flatMap((tool, index) => (isCustom(tool) ? [clientTool(tool, `tools[${index}]`)] : [])),
    typedTools: tools.filter((tool) => !isCustom(tool)),
    ...(user === undefined ? {} : { user }),
    rest: Object.fromEntries(Object.entries(from).filter(([key]) => !READ.has(key))),
  }
})

const isCustom = (tool: JsonObject): boolean => {
  const type = own(tool, 'type')
  return type === undefined || type === null || type === 'custom'
}

const toolFields = record<{ readonly name: string; readonly description?: string; readonly input_schema?: JsonObject }>(
  { name: nonEmptyString, description: optional(string), input_schema: optional(object) },
)

function clientTool(tool: JsonObject, path: string): ClientTool {
  const { input_schema, ...named } = toolFields(tool, path)
  return { ...named, ...(input_schema === undefined ? {} : { parameters: input_schema }) }
}

/**
 * What the server has no copy of: what stands behind the last words of the assistant, and wherever they stand, results of calls
 * that the client was to run. Calls are the server's own to make.
 */
function unknownMessages(messages: readonly Message[], begun: boolean, open: readonly Pending[]): readonly Message[] {
  const newFrom = begun ? messages.findLastIndex(({ role }) => role === 'assistant') + 1 : 0
  const awaited = new Set(open.filter(({ kind }) => kind === 'client').map(({ tool_use_id }) => tool_use_id))
  return messages.flatMap((message, index): readonly Message[] => {
    const content = message.content.filter((block) => {
      if (block.type === 'tool_result') return awaited.delete(block.tool_use_id)
      return index >= newFrom && (message.role !== 'assistant' || block.type === 'text')
    })
    if (content.length === 0) return []
    return content.length === message.content.length ? [message] : [{ ...message, content }]
  })
}

/** Whoever asks for approval by a call reads the answer as its result. */
function decisionsOf(messages: readonly Message[], open: readonly Pending[]): readonly Decision[] {
  const results = messages.flatMap(resultsIn)
  return open.flatMap((pending) => {
    if (pending.kind === 'client') return []
    const callId = approvalIdOf(pending)
    const answer = results.find(({ tool_use_id }) => tool_use_id === callId)
    return answer ? [decision(pending, saidIn(answer))] : []
  })
}

const resultsIn = ({ content }: Message): readonly ToolResultBlock[] =>
  content.filter((block) => block.type === 'tool_result')
