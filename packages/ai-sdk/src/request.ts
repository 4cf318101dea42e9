/**
 * The body that a chat posts in, what a run is to do with it out.
 *
 * A client sends its whole history back, and it may be stale or made up: what the server knows it takes from nobody, and an answer
 * counts only for what is still open, and once. The answers stand in the parts of calls, in any message.
 */
import {
  type Decision,
  decision,
  field,
  type JsonObject,
  type Message,
  object,
  ofProtocol,
  optional,
  own,
  type Pending,
  type RequestOptions,
  type RunRequest,
  saidIn,
  string,
} from '@factwire/core'
import { blocksIn } from './blocks.ts'
import { fileMessage, storedMessages } from './kept.ts'
import { errorOf, resultOf } from './output.ts'
import { type CallPart, messages as readMessages, type ReadMessage, tools as readTools } from './read-message.ts'

/** What a request of this wire says beyond what any does. */
export interface AiSdkRequest extends RunRequest {
  readonly threadId: string
  /** `regenerate-message`: the client has dropped the last answer, and wants another. */
  readonly trigger: string
  /** The message that is to be answered again, or that the answers of calls stand in. */
  readonly messageId?: string
  /** The id of the answer that this goes on with: an option of the transcoder. Absent where it is a new one. */
  readonly continues?: string
  /** What the page added to the body, as it is. */
  readonly rest: JsonObject
}

const READ: ReadonlySet<string> = new Set(['id', 'messages', 'trigger', 'messageId', 'tools'])

/** @throws FactwireError `invalid_value` or `too_large`, with the path in the body. */
export function request(body: unknown, { known, open }: RequestOptions = {}): AiSdkRequest {
  const { messages, ...asked } = readBody(body, '')
  return {
    ...asked,
    stream: true,
    messages: known ? unknownMessages(messages, known, open ?? []) : storedMessages(messages),
    decisions: open ? decisionsOf(messages, open) : saidDecisions(messages),
  }
}

type Body = Pick<AiSdkRequest, 'threadId' | 'trigger' | 'messageId' | 'continues' | 'tools' | 'rest'> & {
  readonly messages: readonly ReadMessage[]
}

const readBody = ofProtocol('ai-sdk', (body): Body => {
  const from = object(body, 'body')
  const messageId = field(from, 'messageId', optional(string))
  const messages = unique(readMessages(own(from, 'messages'), 'messages'))
  const last = messages.at(-1)
  return {
    threadId: field(from, 'id', string),
    trigger: field(from, 'trigger', optional(string)) ?? 'submit-message',
    ...(messageId === undefined ? {} : { messageId }),
    ...(last?.role === 'assistant' ? { continues: last.id } : {}),
    messages,
    tools: [...new Map(readTools(own(from, 'tools'), 'tools').map((tool) => [tool.name, tool])).values()],
    rest: Object.fromEntries(Object.entries(from).filter(([key]) => !READ.has(key))),
  }
})

function unique(messages: readonly ReadMessage[]): readonly ReadMessage[] {
  const met = new Set<string>()
  return messages.filter(({ id }) => !met.has(id) && met.add(id))
}

/** What the server has no copy of. The assistant's words and calls are its own, and results those of calls that the client was to run. */
function unknownMessages(
  messages: readonly ReadMessage[],
  known: ReadonlySet<string>,
  open: readonly Pending[],
): readonly Message[] {
  const awaited = new Set(open.filter(({ kind }) => kind === 'client').map(({ tool_use_id }) => tool_use_id))
  return messages.flatMap((message): readonly Message[] => {
    if (message.role === 'assistant') {
      return callsIn(message).flatMap((part) => {
        const result = resultIn(part)
        return result && awaited.delete(part.toolCallId) ? [toolMessage(result)] : []
      })
    }
    return known.has(message.id) ? [] : fileMessage(message)
  })
}

const callsIn = ({ role, parts }: ReadMessage): readonly CallPart[] =>
  role === 'assistant' ? parts.filter((part) => part.type === 'call') : []

/** What the client says came of a call. Half a call has no result, whatever stands beside it. */
function resultIn({
  toolCallId,
  state,
  output = null,
  errorText = '',
}: CallPart): ReturnType<typeof resultOf> | undefined {
  if (state === 'output-available') return resultOf(toolCallId, output, undefined, blocksIn)
  return state === 'output-error' ? errorOf(toolCallId, errorText, undefined, blocksIn) : undefined
}

function toolMessage(block: ReturnType<typeof resultOf>): Message {
  return { id: `tool-${block.tool_use_id}`, role: 'tool', content: [block] }
}

/** By the approval of the call; a client that has none (v5) answers as if it had run it. The client's word, never the tool's result. */
function decisionsOf(messages: readonly ReadMessage[], open: readonly Pending[]): readonly Decision[] {
  const calls = messages.flatMap(callsIn)
  return open.flatMap((pending): readonly Decision[] => {
    const own = calls.filter(({ toolCallId }) => toolCallId === pending.tool_use_id)
    const answer = own.find(isResponded)
    if (answer) return [decision(pending, saidBy(answer))]
    if (pending.kind === 'client') return []
    const result = own.map(resultIn).find((given) => given !== undefined)
    return result ? [decision(pending, saidIn(result))] : []
  })
}

/** The server keeps nothing: what was said to any call that has no result yet. */
function saidDecisions(messages: readonly ReadMessage[]): readonly Decision[] {
  const met = new Set<string>()
  return messages
    .flatMap(callsIn)
    .filter((part) => isResponded(part) && !met.has(part.toolCallId) && met.add(part.toolCallId))
    .map((part) => {
      const approval_id = part.approval?.id
      const named = approval_id === undefined || approval_id === part.toolCallId ? {} : { approval_id }
      return decision({ tool_use_id: part.toolCallId, ...named }, saidBy(part))
    })
}

const isResponded = ({ state, approval }: CallPart): boolean =>
  state === 'approval-responded' && approval?.approved !== undefined

function saidBy({ approval }: CallPart): Parameters<typeof decision>[1] {
  const { approved = false, reason } = approval ?? {}
  return { refused: !approved, ...(reason === undefined ? {} : { payload: { approved, reason } }) }
}
