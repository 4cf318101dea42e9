/**
 * The events of AG-UI 1.0, spelled as they stand in its JSON.
 *
 * What is optional is left out when absent: this wire refuses `null` there. What the protocol has no field for rides in
 * `metadata.factwire`, which its clients keep and do not read.
 *
 * @see https://docs.ag-ui.com/concepts/events
 */
import type { Json, JsonObject, JsonPatch } from '@factwire/core'
import type { AgUiMessage, Content, Metadata } from './wire-message.ts'
import type { Outcome, RunAgentInput, Usage } from './wire-run.ts'

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
