/**
 * The flat events of the SSE wire, spelled and ordered as they stand in its JSON.
 *
 * Keys are written in the order of these interfaces; what is optional is left out when absent. Free values
 * (`arguments`, `result`, `snapshot`, …) are anybody's JSON.
 */
import type {
  ContentBlock,
  Json,
  JsonPatch,
  RunIdentity,
  TerminationReason,
  ThinkingBlock,
  TokenUsage,
  ToolCallOutcome,
  ToolResult,
} from '@factwire/core'

/** A run begins, or goes on after it was suspended. */
export interface RunStartEvent {
  readonly event_type: 'run_start'
  readonly thread_id: string
  readonly run_id: string
  readonly parent_run_id?: string
  readonly identity?: RunIdentity
}
/** Ends the stream, whatever the termination. After `suspended` the same run may start again. */
export interface RunFinishEvent {
  readonly event_type: 'run_finish'
  readonly thread_id: string
  readonly run_id: string
  readonly identity?: RunIdentity
  readonly result?: Json
  readonly termination: TerminationReason
}
export interface TextDeltaEvent {
  readonly event_type: 'text_delta'
  readonly delta: string
}
export interface ReasoningDeltaEvent {
  readonly event_type: 'reasoning_delta'
  readonly delta: string
}
/** What a provider wants back with the thought before it, unread. */
export interface ReasoningEncryptedValueEvent {
  readonly event_type: 'reasoning_encrypted_value'
  readonly encrypted_value: string
}
export interface ToolCallStartEvent {
  readonly event_type: 'tool_call_start'
  readonly id: string
  readonly name: string
}
/** `args_delta` is a suffix of the arguments' text. */
export interface ToolCallDeltaEvent {
  readonly event_type: 'tool_call_delta'
  readonly id: string
  readonly args_delta: string
}
/** The call as it is made: the truth of its arguments. */
export interface ToolCallReadyEvent {
  readonly event_type: 'tool_call_ready'
  readonly id: string
  readonly name: string
  readonly arguments: Json
}
/** `message_id` is the stored tool message's, empty where there is none. */
export interface ToolCallDoneEvent {
  readonly event_type: 'tool_call_done'
  readonly id: string
  readonly message_id: string
  readonly result: ToolResult
  readonly outcome: ToolCallOutcome
}
/** What a running tool prints. Not part of its result. */
export interface ToolCallStreamDeltaEvent {
  readonly event_type: 'tool_call_stream_delta'
  readonly id: string
  readonly name: string
  readonly delta: string
}
/** The result of a call that the run had been suspended for. */
export interface ToolCallResumedEvent {
  readonly event_type: 'tool_call_resumed'
  readonly target_id: string
  readonly result: Json
}
/** The call will get neither ready nor done: drop what was buffered for it. */
export interface ToolCallCancelEvent {
  readonly event_type: 'tool_call_cancel'
  readonly id: string
  readonly name: string
  readonly reason: string
}
/** Drop all text, reasoning and calls since the current `step_start`. */
export interface StreamResetEvent {
  readonly event_type: 'stream_reset'
  readonly reason: string
}
export interface StepStartEvent {
  readonly event_type: 'step_start'
  readonly message_id: string
}
export interface StepEndEvent {
  readonly event_type: 'step_end'
}
export interface InferenceCompleteEvent {
  readonly event_type: 'inference_complete'
  readonly model: string
  readonly usage?: TokenUsage
  readonly duration_ms: number
}
/** The thread so far, for a reader that comes late. The messages are anybody's JSON; `flatMessages` reads them. */
export interface MessagesSnapshotEvent {
  readonly event_type: 'messages_snapshot'
  readonly messages: readonly unknown[]
}
/** `replace: false` leaves an activity that is there already as it is. */
export interface ActivitySnapshotEvent {
  readonly event_type: 'activity_snapshot'
  readonly message_id: string
  readonly activity_type: string
  readonly content: Json
  readonly replace?: boolean
}
export interface ActivityDeltaEvent {
  readonly event_type: 'activity_delta'
  readonly message_id: string
  readonly activity_type: string
  readonly patch: readonly JsonPatch[]
}
export interface StateSnapshotEvent {
  readonly event_type: 'state_snapshot'
  readonly snapshot: Json
}
export interface StateDeltaEvent {
  readonly event_type: 'state_delta'
  readonly delta: readonly JsonPatch[]
}
/** Ends the stream. */
export interface ErrorEvent {
  readonly event_type: 'error'
  readonly message: string
  readonly code?: string
}

/** One frame of the SSE wire. */
export type FlatEvent =
  | TextDeltaEvent
  | ReasoningDeltaEvent
  | ToolCallDeltaEvent
  | ToolCallStartEvent
  | ToolCallReadyEvent
  | ToolCallDoneEvent
  | ToolCallStreamDeltaEvent
  | ToolCallResumedEvent
  | ToolCallCancelEvent
  | StreamResetEvent
  | StepStartEvent
  | StepEndEvent
  | RunStartEvent
  | RunFinishEvent
  | ReasoningEncryptedValueEvent
  | InferenceCompleteEvent
  | MessagesSnapshotEvent
  | ActivitySnapshotEvent
  | ActivityDeltaEvent
  | StateSnapshotEvent
  | StateDeltaEvent
  | ErrorEvent

// ── The messages of a snapshot ──

/** A thought as stored threads spell it. */
export interface FlatThinkingBlock {
  readonly type: 'thinking'
  readonly thinking: string
}

export type FlatBlock = Exclude<ContentBlock, ThinkingBlock> | FlatThinkingBlock

export interface FlatToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: Json
}

/**
 * A stored message. A result is a message of role `tool` with `tool_call_id`; `is_error` (written when true), `data`,
 * `denied` and `cancelled` are Factwire's additions to it.
 */
export interface FlatMessage {
  readonly id?: string
  /** `system`, `user`, `assistant` or `tool`; others are read and shown under their own name. */
  readonly role: string
  readonly content: readonly FlatBlock[]
  readonly tool_calls?: readonly FlatToolCall[]
  readonly tool_call_id?: string
  /** Not for the reader's eyes. */
  readonly visibility?: 'internal'
  readonly is_error?: boolean
  readonly data?: Json
  readonly denied?: boolean
  readonly cancelled?: boolean
}

/** A frame literal that is misspelt in an optional key does not compile in here; in the result of an arrow it would. */
export const frames = (...events: readonly FlatEvent[]): readonly FlatEvent[] => events

/** After these the stream says nothing more, unless the run starts again. */
export function isTerminal(event: FlatEvent): boolean {
  return event.event_type === 'run_finish' || event.event_type === 'error'
}
