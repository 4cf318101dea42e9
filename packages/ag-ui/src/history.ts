/**
 * The committed thread as AG-UI messages: calls beside the text, one message a result.
 *
 * A client builds the same messages from the live events, so the transcoder shapes its snapshots with the parts of this file.
 */
import {
  type Committed,
  type HistorySink,
  type Message,
  type ToolResultFact,
  type ToolUseBlock,
  argumentsOf,
  foldHistory,
  textOf,
} from '@factwire/core'
import { contentOf } from './content.ts'
import type {
  AgUiMessage,
  AssistantMessage,
  FactwireMetadata,
  Metadata,
  ReasoningMessage,
  ToolCall,
  ToolMessage,
} from './wire-message.ts'

export interface HistoryOptions {
  /** Whether thoughts are messages of their own, before the message they led to. Default false. */
  readonly reasoning?: boolean
}

export function history(
  { messages }: Pick<Committed, 'messages'>,
  { reasoning = false }: HistoryOptions = {},
): readonly AgUiMessage[] {
  const shaped: AgUiMessage[] = []
  /** How many results each stored message has given: a decoder gives each a message of its own. */
  const told = new Map<string, number>()
  const user = ({ id, content }: Message): number => shaped.push({ id, role: 'user', content: contentOf(content) })
  const sink: HistorySink = {
    system: ({ id, content }) => shaped.push({ id, role: 'system', content: textOf(content) }),
    user,
    // A client loses what a snapshot does not hold.
    media: user,
    assistant: (message) => shaped.push(assistant(message)),
    toolResult(result, messageId) {
      const index = told.get(messageId) ?? 0
      told.set(messageId, index + 1)
      shaped.push(toolMessage({ id: toolMessageId(messageId, index), stored: messageId }, result.tool_use_id, result))
    },
  }
  for (const message of messages) {
    const thought = reasoning && message.role === 'assistant' ? thoughtOf(message) : undefined
    if (thought) shaped.push(thought)
    foldHistory([message], sink)
  }
  return shaped
}

function assistant({ id, content }: Message): AssistantMessage {
  const calls = content.filter((block) => block.type === 'tool_use')
  return assistantMessage(id, textOf(content), calls.map(toolCall))
}

function thoughtOf({ id, content }: Message): ReasoningMessage | undefined {
  const thoughts = content.filter((block) => block.type === 'thinking')
  const signature = thoughts.findLast((thought) => thought.signature !== undefined)?.signature
  const encrypted = thoughts.findLast((thought) => thought.encrypted !== undefined)?.encrypted
  const text = thoughts.map((thought) => thought.text).join('')
  return text === '' && encrypted === undefined
    ? undefined
    : reasoningMessage(reasoningId(id), text, { signature, encrypted })
}

// ── The messages, for snapshots of a thread that is still being written ──

/** Without text there is no `content`: a client that got only calls has none either. */
export function assistantMessage(id: string, text: string, calls: readonly ToolCall[]): AssistantMessage {
  return {
    id,
    role: 'assistant',
    ...(text === '' ? {} : { content: text }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  }
}

/** A call with its arguments as text, in the characters that the model wrote. */
export function toolCall(call: Pick<ToolUseBlock, 'id' | 'name' | 'input' | 'raw_input'>): ToolCall {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: argumentsOf(call) } }
}

/** The id of a result's message here, and that of the stored one. */
export interface ResultIds {
  readonly id: string
  readonly stored: string
}

/** What a result says, of a stored block or of a fact. */
export type Result = Pick<ToolResultFact, 'content' | 'is_error' | 'data' | 'denied' | 'cancelled'>

export function toolMessage(ids: ResultIds, callId: string, result: Result): ToolMessage {
  const content = contentOf(result.content)
  return { id: ids.id, role: 'tool', toolCallId: callId, content, ...resultMetadata(ids, result) }
}

/** A stored message with several results is several messages here. */
export function toolMessageId(messageId: string, index: number): string {
  return index === 0 ? messageId : `${messageId}-${index}`
}

/** The id of the result of a call that was given up before it was committed. */
export function givenUpId(callId: string): string {
  return `tool-${callId}-cancelled`
}

/** The result event has no field for an error, so neither form of a result uses the message's. */
export function resultMetadata(
  { id, stored }: ResultIds,
  { is_error, data, denied, cancelled }: Result,
): { readonly metadata?: Metadata } {
  const factwire: FactwireMetadata = {
    ...(is_error ? { is_error } : {}),
    ...(denied ? { denied } : {}),
    ...(cancelled ? { cancelled } : {}),
    ...(data === undefined ? {} : { data }),
    ...(id === stored ? {} : { message_id: stored }),
  }
  return Object.keys(factwire).length === 0 ? {} : { metadata: { factwire } }
}

/** What a provider wants back unread. */
export interface Seals {
  readonly signature?: string | undefined
  readonly encrypted?: string | undefined
}

export function reasoningMessage(id: string, text: string, { signature, encrypted }: Seals): ReasoningMessage {
  return {
    id,
    role: 'reasoning',
    content: text,
    ...(signature === undefined ? {} : { metadata: { factwire: { signature } } }),
    ...(encrypted === undefined ? {} : { encryptedValue: encrypted }),
  }
}

/** Apart from the id of the message itself: a client that finds text under the id of a thought appends to the thought. */
export function reasoningId(messageId: string): string {
  return `${messageId}${REASONING}`
}

/** Whose thought it is, as far as its id says so. */
export function messageIdOf(thoughtId: string): string {
  return thoughtId.endsWith(REASONING) ? thoughtId.slice(0, -REASONING.length) : thoughtId
}

const REASONING = '-reasoning'
