/**
 * The Messages stream as the wire spells it.
 *
 * What arrives comes from many servers, so every value is `unknown` until somebody has looked at it. Fields that say nothing about the
 * message, such as `service_tier`, are left out.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { Json } from '@factwire/core'

export type MessagesFrame =
  | MessageStart
  | BlockStart
  | BlockDelta
  | BlockStop
  | MessageDelta
  | MessageStop
  | ErrorEvent
  | WholeMessage

// ── What is read ──

export interface MessageStart {
  readonly type: 'message_start'
  readonly message?: unknown
}
export interface BlockStart {
  readonly type: 'content_block_start'
  readonly index?: unknown
  readonly content_block?: unknown
}
export interface BlockDelta {
  readonly type: 'content_block_delta'
  readonly index?: unknown
  readonly delta?: unknown
}
export interface BlockStop {
  readonly type: 'content_block_stop'
  readonly index?: unknown
}
export interface MessageDelta {
  readonly type: 'message_delta'
  readonly delta?: unknown
  readonly usage?: unknown
}
export interface MessageStop {
  readonly type: 'message_stop'
}
/** A failure, in place of an end. */
export interface ErrorEvent {
  readonly type: 'error'
  readonly error?: unknown
}
/** The whole answer, from a server that did not stream. */
export interface WholeMessage {
  readonly type: 'message'
  readonly id?: unknown
  readonly model?: unknown
  readonly content?: unknown
  readonly stop_reason?: unknown
  readonly usage?: unknown
}

export interface ReadMessage {
  readonly id?: unknown
  readonly model?: unknown
  readonly usage?: unknown
}

/** Any block of content. */
export interface ReadBlock {
  readonly type?: unknown
  readonly text?: unknown
  readonly thinking?: unknown
  readonly signature?: unknown
  /** What was withheld of thoughts. */
  readonly data?: unknown
  readonly id?: unknown
  readonly name?: unknown
  readonly input?: unknown
  readonly tool_use_id?: unknown
  readonly content?: unknown
  readonly is_error?: unknown
}

export interface ReadDelta {
  readonly type?: unknown
  readonly text?: unknown
  readonly thinking?: unknown
  readonly signature?: unknown
  readonly partial_json?: unknown
}

export interface ReadError {
  readonly type?: unknown
  readonly message?: unknown
  /** Ours: the code of the failure, where the types of the wire have no word for it. */
  readonly code?: unknown
}

// ── What is written ──

export type WrittenEvent =
  | WrittenStart
  | WrittenBlockStart
  | WrittenBlockDelta
  | BlockStopOf
  | WrittenMessageDelta
  | MessageStop
  | MessagesFailure

export interface WrittenStart {
  readonly type: 'message_start'
  readonly message: MessageHead & {
    readonly content: readonly []
    readonly stop_reason: null
    readonly stop_sequence: null
    readonly usage: MessagesUsage
  }
}

export type MessageHead = {
  readonly id: string
  readonly type: 'message'
  readonly role: 'assistant'
  readonly model: string
}

export interface WrittenBlockStart {
  readonly type: 'content_block_start'
  readonly index: number
  readonly content_block: WrittenBlock
}
export interface WrittenBlockDelta {
  readonly type: 'content_block_delta'
  readonly index: number
  readonly delta: WrittenDelta
}
export interface BlockStopOf {
  readonly type: 'content_block_stop'
  readonly index: number
}
export interface WrittenMessageDelta {
  readonly type: 'message_delta'
  readonly delta: { readonly stop_reason: StopReason; readonly stop_sequence: null }
  /** Of the whole message. */
  readonly usage: MessagesUsage
}

export type WrittenDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }

// Aliases and not interfaces, so that they are JSON to the compiler.

export type WrittenBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUse | McpToolUse | McpToolResult

export type TextBlock = { readonly type: 'text'; readonly text: string }
export type ThinkingBlock = { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
export type RedactedThinkingBlock = { readonly type: 'redacted_thinking'; readonly data: string }
/** A call that the client is to run. */
export type ToolUse = { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: Json }
/** A call that somebody else runs: no client does. */
export type McpToolUse = {
  readonly type: 'mcp_tool_use'
  readonly id: string
  readonly name: string
  readonly server_name: string
  readonly input: Json
}
export type McpToolResult = {
  readonly type: 'mcp_tool_result'
  readonly tool_use_id: string
  readonly is_error: boolean
  readonly content: readonly TextBlock[]
}

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded'

/** `input_tokens` are those that no cache had. */
export type MessagesUsage = {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly output_tokens_details?: { readonly thinking_tokens: number }
}

/** A failure: the body of a response, and the event that ends a stream. */
export type MessagesFailure = {
  readonly type: 'error'
  readonly error: MessagesError
}

export type MessagesError = {
  readonly type: ErrorType
  readonly message: string
  readonly code?: string
  /** By which clients know what they can do about it. */
  readonly details?: Json
}

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'overloaded_error'
  | 'api_error'

/** The answer to a request that did not ask for a stream. */
export type MessagesAnswer = MessageHead & {
  readonly content: readonly WrittenBlock[]
  readonly stop_reason: StopReason
  readonly stop_sequence: null
  readonly usage: MessagesUsage
}
