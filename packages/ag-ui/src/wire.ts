/**
 * The events, messages and request of AG-UI 1.0, spelled as they stand in its JSON.
 *
 * What is optional is left out when absent: this wire refuses `null` there. What the protocol has no field for rides in
 * `metadata.factwire`, which its clients keep and do not read.
 *
 * @see https://docs.ag-ui.com/concepts/events
 */
import type { ContentBlock, EndCause, Json, JsonObject, JsonPatch, Pending } from '@factwire/core'

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

// ── Runs ──

/** What one model cost. Input includes cached, output includes reasoning. */
export interface Usage {
  readonly provider?: string
  readonly model?: string
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
  readonly reasoningTokens?: number
  readonly cachedInputTokens?: number
  readonly cacheWriteInputTokens?: number
}

export interface Interrupt {
  readonly id: string
  readonly reason: string
  readonly message?: string
  readonly toolCallId?: string
  readonly responseSchema?: JsonObject
  /** ISO 8601. */
  readonly expiresAt?: string
  readonly metadata?: Metadata
  readonly subagentRunId?: string
}

export interface SuccessOutcome {
  readonly type: 'success'
  /** The calls that the client runs. */
  readonly pendingToolCallIds?: readonly string[]
}
export interface InterruptOutcome {
  readonly type: 'interrupt'
  readonly interrupts: readonly Interrupt[]
}
export interface CancelledOutcome {
  readonly type: 'cancelled'
}
export type Outcome = SuccessOutcome | InterruptOutcome | CancelledOutcome

export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema. */
  readonly parameters?: Json
  readonly metadata?: Metadata
}
export interface ContextItem {
  readonly description: string
  readonly value: string
}
export interface ResumeEntry {
  readonly interruptId: string
  readonly status: 'resolved' | 'cancelled'
  readonly payload?: Json
  readonly metadata?: Metadata
}

/** The body that a client posts to start a run, or to go on with one. */
export interface RunAgentInput {
  readonly threadId: string
  readonly runId: string
  readonly protocolVersion?: string
  readonly parentRunId?: string
  readonly state?: Json
  readonly messages: readonly AgUiMessage[]
  readonly tools?: readonly Tool[]
  readonly context?: readonly ContextItem[]
  readonly forwardedProps?: Json
  readonly resume?: readonly ResumeEntry[]
}

// ── Events ──

/** What every event may have. */
interface EventParts {
  /** Unix time, milliseconds, a whole number. */
  readonly timestamp?: number
  readonly rawEvent?: Json
  readonly metadata?: Metadata
}
/** What the events of a subagent have as well. */
interface OwnedParts extends EventParts {
  readonly subagentRunId?: string
}

export interface RunStartedEvent extends EventParts {
  readonly type: 'RUN_STARTED'
  readonly threadId: string
  readonly runId: string
  readonly protocolVersion?: string
  readonly parentRunId?: string
  readonly input?: RunAgentInput
}
/** Ends a run that did not fail. Without `outcome` it is a success. */
export interface RunFinishedEvent extends EventParts {
  readonly type: 'RUN_FINISHED'
  readonly threadId: string
  readonly runId: string
  readonly result?: Json
  readonly outcome?: Outcome
  readonly usage?: readonly Usage[]
}
export interface RunErrorEvent extends EventParts {
  readonly type: 'RUN_ERROR'
  readonly message: string
  readonly code?: string
  readonly usage?: readonly Usage[]
}
export interface StepStartedEvent extends OwnedParts {
  readonly type: 'STEP_STARTED'
  readonly stepName: string
}
export interface StepFinishedEvent extends OwnedParts {
  readonly type: 'STEP_FINISHED'
  readonly stepName: string
}

export type TextRole = 'developer' | 'system' | 'assistant' | 'user'

export interface TextMessageStartEvent extends OwnedParts {
  readonly type: 'TEXT_MESSAGE_START'
  readonly messageId: string
  /** Absent is `assistant`. */
  readonly role?: TextRole
  readonly name?: string
}
export interface TextMessageContentEvent extends OwnedParts {
  readonly type: 'TEXT_MESSAGE_CONTENT'
  readonly messageId: string
  readonly delta: string
}
export interface TextMessageEndEvent extends OwnedParts {
  readonly type: 'TEXT_MESSAGE_END'
  readonly messageId: string
}
/** Start, content and end in one; the first of a message needs its id. */
export interface TextMessageChunkEvent extends OwnedParts {
  readonly type: 'TEXT_MESSAGE_CHUNK'
  readonly messageId?: string
  readonly role?: TextRole
  readonly delta?: string
  readonly name?: string
}

export interface ToolCallStartEvent extends OwnedParts {
  readonly type: 'TOOL_CALL_START'
  readonly toolCallId: string
  readonly toolCallName: string
  /** The assistant message that makes the call. Without it a client makes a message of its own for each call. */
  readonly parentMessageId?: string
}
/** `delta` is a suffix of the arguments' text. */
export interface ToolCallArgsEvent extends OwnedParts {
  readonly type: 'TOOL_CALL_ARGS'
  readonly toolCallId: string
  readonly delta: string
}
/** The arguments are complete. Whether the tool ran is another matter. */
export interface ToolCallEndEvent extends OwnedParts {
  readonly type: 'TOOL_CALL_END'
  readonly toolCallId: string
}
/** The first of a call needs its id and name. */
export interface ToolCallChunkEvent extends OwnedParts {
  readonly type: 'TOOL_CALL_CHUNK'
  readonly toolCallId?: string
  readonly toolCallName?: string
  readonly parentMessageId?: string
  readonly delta?: string
}
/** `messageId` is the tool message's. Clients before 1.0 take a string only. */
export interface ToolCallResultEvent extends OwnedParts {
  readonly type: 'TOOL_CALL_RESULT'
  readonly messageId: string
  readonly toolCallId: string
  readonly content: Content
  readonly role?: 'tool'
}

export interface StateSnapshotEvent extends OwnedParts {
  readonly type: 'STATE_SNAPSHOT'
  readonly snapshot: Json
}
export interface StateDeltaEvent extends OwnedParts {
  readonly type: 'STATE_DELTA'
  readonly delta: readonly JsonPatch[]
}
/** The whole conversation: a client drops what is not in it, but for activities and reasoning. */
export interface MessagesSnapshotEvent extends EventParts {
  readonly type: 'MESSAGES_SNAPSHOT'
  readonly messages: readonly AgUiMessage[]
}
/** Absent `replace` is true. */
export interface ActivitySnapshotEvent extends OwnedParts {
  readonly type: 'ACTIVITY_SNAPSHOT'
  readonly messageId: string
  readonly activityType: string
  readonly content: JsonObject
  readonly replace?: boolean
}
export interface ActivityDeltaEvent extends OwnedParts {
  readonly type: 'ACTIVITY_DELTA'
  readonly messageId: string
  readonly activityType: string
  readonly patch: readonly JsonPatch[]
}

/** Brackets messages of reasoning and makes none itself. */
export interface ReasoningStartEvent extends OwnedParts {
  readonly type: 'REASONING_START'
  readonly messageId: string
}
export interface ReasoningEndEvent extends OwnedParts {
  readonly type: 'REASONING_END'
  readonly messageId: string
}
export interface ReasoningMessageStartEvent extends OwnedParts {
  readonly type: 'REASONING_MESSAGE_START'
  readonly messageId: string
  readonly role: 'reasoning'
}
export interface ReasoningMessageContentEvent extends OwnedParts {
  readonly type: 'REASONING_MESSAGE_CONTENT'
  readonly messageId: string
  readonly delta: string
}
export interface ReasoningMessageEndEvent extends OwnedParts {
  readonly type: 'REASONING_MESSAGE_END'
  readonly messageId: string
}
export interface ReasoningMessageChunkEvent extends OwnedParts {
  readonly type: 'REASONING_MESSAGE_CHUNK'
  readonly messageId?: string
  readonly delta?: string
}
/** What a provider wants back unread. The message or call must be there already, or the value is lost. */
export interface ReasoningEncryptedValueEvent extends OwnedParts {
  readonly type: 'REASONING_ENCRYPTED_VALUE'
  readonly subtype: 'message' | 'tool-call'
  readonly entityId: string
  readonly encryptedValue: string
}

export interface SubagentStartedEvent extends EventParts {
  readonly type: 'SUBAGENT_STARTED'
  readonly subagentRunId: string
  readonly name: string
  readonly description?: string
  readonly parentSubagentRunId?: string
  readonly parentToolCallId?: string
  readonly parentMessageId?: string
}
export interface SubagentSuccess {
  readonly type: 'success'
}
export interface SubagentSuspended {
  readonly type: 'suspended'
  readonly interruptIds?: readonly string[]
}
export interface SubagentFinishedEvent extends EventParts {
  readonly type: 'SUBAGENT_FINISHED'
  readonly subagentRunId: string
  readonly result?: Json
  readonly outcome?: SubagentSuccess | SubagentSuspended
}
export interface SubagentErrorEvent extends EventParts {
  readonly type: 'SUBAGENT_ERROR'
  readonly subagentRunId: string
  readonly message: string
  readonly code?: string
}

export interface RawEvent extends OwnedParts {
  readonly type: 'RAW'
  readonly event: Json
  readonly source?: string
}
export interface CustomEvent extends OwnedParts {
  readonly type: 'CUSTOM'
  readonly name: string
  readonly value: Json
}

/** One frame of AG-UI. */
export type AgUiEvent =
  | TextMessageContentEvent
  | ToolCallArgsEvent
  | ReasoningMessageContentEvent
  | TextMessageStartEvent
  | TextMessageEndEvent
  | TextMessageChunkEvent
  | ToolCallStartEvent
  | ToolCallEndEvent
  | ToolCallChunkEvent
  | ToolCallResultEvent
  | ReasoningStartEvent
  | ReasoningEndEvent
  | ReasoningMessageStartEvent
  | ReasoningMessageEndEvent
  | ReasoningMessageChunkEvent
  | ReasoningEncryptedValueEvent
  | RunStartedEvent
  | RunFinishedEvent
  | RunErrorEvent
  | StepStartedEvent
  | StepFinishedEvent
  | StateSnapshotEvent
  | StateDeltaEvent
  | MessagesSnapshotEvent
  | ActivitySnapshotEvent
  | ActivityDeltaEvent
  | SubagentStartedEvent
  | SubagentFinishedEvent
  | SubagentErrorEvent
  | RawEvent
  | CustomEvent

/** A frame literal that is misspelt in an optional key does not compile in here; in the result of an arrow it would. */
export const frames = (...events: readonly AgUiEvent[]): readonly AgUiEvent[] => events

/** After these a run says nothing more; the next may begin in the same stream. */
export function isTerminal({ type }: AgUiEvent): boolean {
  return type === 'RUN_FINISHED' || type === 'RUN_ERROR'
}
