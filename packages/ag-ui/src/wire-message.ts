/**
 * The messages of AG-UI 1.0, their content, and what rides in metadata, spelled as they stand in its JSON.
 *
 * @see https://docs.ag-ui.com/concepts/messages
 */
import type { ContentBlock, EndCause, Json, JsonObject, Pending } from '@factwire/core'

// ── What rides in metadata ──

/** What a document says beyond its part. `media_type` stands on a text part that is a document of that type. */
export interface FactwireDocument {
  readonly media_type?: string
  readonly title?: string
  readonly context?: string
}

/** Every field stands only where it says something. */
export interface FactwireMetadata {
  /** Of a result: it is an error. */
  readonly is_error?: boolean
  /** Of a result: somebody said no. */
  readonly denied?: boolean
  /** Of a result: the stored message that it is of, where that cannot be the event's because it holds several. */
  readonly message_id?: string
  /** Of a result: the call was given up before it had one. */
  readonly cancelled?: boolean
  /** Of a result: the structured value behind its content. */
  readonly data?: Json
  /** Of a run's end: it had used up its steps. */
  readonly exhausted?: boolean
  /** Of a run's end, where the event cannot say it. */
  readonly cause?: EndCause
  /** Of a reasoning message. */
  readonly signature?: string
  /** Of a content part that stands for a block which the wire does not have. */
  readonly block?: ContentBlock
  readonly document?: FactwireDocument
  /** Of an interrupt: what the form is filled with. */
  readonly parameters?: Json
  /** Of a run that waits: whom for, where the outcome cannot say it, or cannot say all of it. */
  readonly pending?: readonly Pending[]
}

export interface Metadata {
  readonly factwire?: FactwireMetadata
  readonly [key: string]: unknown
}

// ── Content and messages ──

export interface DataSource {
  readonly type: 'data'
  /** Base64. */
  readonly value: string
  readonly mimeType: string
}
export interface UrlSource {
  readonly type: 'url'
  readonly value: string
  readonly mimeType?: string
}
/** A provider's handle. Clients before 1.0 do not know it. */
export interface FileSource {
  readonly type: 'file'
  readonly value: string
  readonly provider?: string
  readonly mimeType?: string
}
export type Source = DataSource | UrlSource | FileSource

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly id?: string
  readonly metadata?: Metadata
}
export interface MediaPart {
  readonly type: 'image' | 'audio' | 'video' | 'document'
  readonly source: Source
  readonly id?: string
  readonly metadata?: Metadata
}
export type ContentPart = TextPart | MediaPart
export type Content = string | readonly ContentPart[]

export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
  readonly encryptedValue?: string
  readonly metadata?: Metadata
}

/** What every message may have. */
interface MessageParts {
  readonly metadata?: Metadata
  readonly subagentRunId?: string
}

export interface InstructionMessage extends MessageParts {
  readonly id: string
  readonly role: 'developer' | 'system'
  readonly content: string
  readonly name?: string
  readonly encryptedValue?: string
}
export interface UserMessage extends MessageParts {
  readonly id: string
  readonly role: 'user'
  readonly content: Content
  readonly name?: string
  readonly encryptedValue?: string
}
/** Without text it has no `content`; an empty one is text to a client. */
export interface AssistantMessage extends MessageParts {
  readonly id: string
  readonly role: 'assistant'
  readonly content?: string
  readonly toolCalls?: readonly ToolCall[]
  readonly name?: string
  readonly encryptedValue?: string
}
export interface ToolMessage extends MessageParts {
  readonly id: string
  readonly role: 'tool'
  readonly toolCallId: string
  readonly content: Content
  readonly error?: string
  readonly encryptedValue?: string
}
export interface ReasoningMessage extends MessageParts {
  readonly id: string
  readonly role: 'reasoning'
  readonly content: string
  readonly encryptedValue?: string
}
export interface ActivityMessage extends MessageParts {
  readonly id: string
  readonly role: 'activity'
  readonly activityType: string
  readonly content: JsonObject
}
export type AgUiMessage =
  | InstructionMessage
  | UserMessage
  | AssistantMessage
  | ToolMessage
  | ReasoningMessage
  | ActivityMessage
