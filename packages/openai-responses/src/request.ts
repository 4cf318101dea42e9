/**
 * Turns the body of a request into what a run needs: messages, decisions, the client's tools, and how to answer.
 *
 * A client sends what is new, and names the response before it; or it sends the whole conversation each time, and it may be stale or
 * made up. What the server knows it takes from nobody, and an answer counts only for what is still open, and once.
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
  optional,
  optionalJson,
  otherwise,
  own,
  type Pending,
  type Read,
  record,
  type RequestOptions,
  type RunRequest,
  string,
  type ToolResultBlock,
} from '@factwire/core'
import { listOf } from './list.ts'
import { type Approval, type Input, type InputMessage, readInput } from './request-items.ts'
import { prefixed } from './sending.ts'
import type { Echo } from './wire.ts'

/** Ids of messages that bring none are made from their place in the body: `message-0`. */
export interface ResponsesRequest extends RunRequest {
  /** The response that this one goes on from. */
  readonly previousResponseId?: string
  /** Said before everything else, in this response alone. */
  readonly instructions?: string
  /** The client wants encrypted reasoning. */
  readonly encryptedReasoning: boolean
  /** What the response repeats: the option of the transcoder. */
  readonly echo: Echo
  /** All fields as they were sent, but for the input. */
  readonly rest: JsonObject
}

/** @throws FactwireError `invalid_value` or `too_large`, with the path in the body. */
export function request(body: unknown, { known, open }: RequestOptions = {}): ResponsesRequest {
  const { input, ...asked } = readBody(body, '')
  const whole = asked.previousResponseId === undefined
  return {
    ...asked,
    messages: known
      ? unknownMessages(input.messages, known, open ?? [], whole)
      : input.messages.map(({ message }) => message),
    decisions: open ? decisionsOf(input.approvals, open) : statedDecisions(input.approvals),
  }
}

interface Asked extends Omit<ResponsesRequest, 'messages' | 'decisions'> {
  readonly input: Input
}

const NONE: readonly string[] = []
const NO_INPUT: Input = { messages: [], approvals: [] }

const readBody = ofProtocol('openai-responses', (body): Asked => {
  const from = object(body, 'body')
  const model = field(from, 'model', optional(string))
  const previousResponseId = field(from, 'previous_response_id', optional(nonEmptyString))
  const instructions = field(from, 'instructions', optional(string))
  const threadId = field(from, 'conversation', optional(conversation))
  const include = field(from, 'include', otherwise(listOf(string), NONE))
  return {
    ...(threadId === undefined ? {} : { threadId }),
    ...(model === undefined ? {} : { model }),
    ...(previousResponseId === undefined ? {} : { previousResponseId }),
    ...(instructions === undefined ? {} : { instructions }),
    stream: field(from, 'stream', otherwise(boolean, false)),
    input: field(from, 'input', otherwise(readInput, NO_INPUT)),
    tools: field(from, 'tools', otherwise(listOf(tool), [])).flat(),
    encryptedReasoning: include.includes('reasoning.encrypted_content'),
    echo: fieldsOf(from, (key) => ECHOED.has(key)),
    rest: fieldsOf(from, (key) => key !== 'input'),
  }
})

const conversation: Read<string> = (value, path) =>
  typeof value === 'string' ? value : field(object(value, path), 'id', nonEmptyString, path)

/** What the client runs. Tools of other kinds are the server's to have, or not. */
const tool: Read<readonly ClientTool[]> = (value, path) => {
  const type = field(object(value, path), 'type', string, path)
  return type === 'function' || type === 'custom' ? [clientTool(value, path)] : []
}

const clientTool = record<ClientTool>({
  name: nonEmptyString,
  description: optional(string),
  parameters: optional(object),
})

const ECHOED: ReadonlySet<string> = new Set([
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt_cache_key',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
])

function fieldsOf(from: JsonObject, wanted: (key: string) => boolean): JsonObject {
  return Object.fromEntries(
    Object.keys(from).flatMap((key) => {
      const value = wanted(key) ? optionalJson(own(from, key), key) : undefined
      return value === undefined || value === null ? [] : [[key, value]]
    }),
  )
}

/**
 * What the server has no copy of: what has an id that it does not know, or none and stands behind the last words of the assistant; and
 * wherever they stand, results of calls that the client was to run. Calls are the server's own to make.
 */
function unknownMessages(
  messages: readonly InputMessage[],
  known: ReadonlySet<string>,
  open: readonly Pending[],
  whole: boolean,
): readonly Message[] {
  const begun = whole && known.size > 0
  const newFrom = begun ? messages.findLastIndex(({ message }) => message.role === 'assistant') + 1 : 0
  const awaited = new Set(open.filter(({ kind }) => kind === 'client').map(({ tool_use_id }) => tool_use_id))
  return messages.flatMap(({ message, named }, index): readonly Message[] => {
    const result = message.content.find((block): block is ToolResultBlock => block.type === 'tool_result')
    if (result) return awaited.delete(result.tool_use_id) ? [message] : []
    if (named ? known.has(message.id) : index < newFrom) return []
    if (message.role !== 'assistant') return [message]
    // What it says here and the server does not know of is no more than words.
    const content = message.content.filter(({ type }) => type === 'text')
    return content.length > 0 && index >= newFrom ? [{ ...message, content }] : []
  })
}

function decisionsOf(approvals: readonly Approval[], open: readonly Pending[]): readonly Decision[] {
  return open.flatMap((pending) => {
    if (pending.kind === 'client') return []
    const { tool_use_id, approval_id } = pending
    const names = new Set([tool_use_id, approval_id, prefixed('mcpr_', tool_use_id)])
    const answer = approvals.find(({ request }) => names.has(request))
    return answer ? [decision(pending, saidBy(answer))] : []
  })
}

/** The server keeps no thread: a question is known by its id alone, and answered once. */
function statedDecisions(approvals: readonly Approval[]): readonly Decision[] {
  const first = new Map<string, Approval>()
  for (const approval of approvals) if (!first.has(approval.request)) first.set(approval.request, approval)
  return [...first.values()].map((answer) =>
    decision({ tool_use_id: answer.request.replace(/^mcpr_/, ''), approval_id: answer.request }, saidBy(answer)),
  )
}

const saidBy = ({ approve, reason }: Approval): { refused: boolean; payload?: string } =>
  approve ? { refused: false } : { refused: true, ...(reason === undefined ? {} : { payload: reason }) }
