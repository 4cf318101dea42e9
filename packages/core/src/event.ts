/**
 * The neutral vocabulary: what an agent run says, in two tiers.
 *
 * A **fact** is committed truth; only the fold makes facts. A **delta** is a fragment of what is still being produced; it
 * may be lost or doubled, and nothing true depends on it. JSON is the TypeScript shape:
 * `{"tier":"fact","event":{"type":"run_started"}}`.
 */
import type { ContentBlock, TokenUsage } from './content.ts'
import type { Json, JsonPatch } from './json.ts'
import type { EndCause, Pending } from './run.ts'
import type { Message } from './thread.ts'

// ── Facts ──

/** A run, or a run that had been awaiting, goes on. */
export interface RunStarted {
  readonly type: 'run_started'
}
/** The text of one assistant message. `content` holds its text blocks only. */
export interface AssistantMessage {
  readonly type: 'assistant_message'
  readonly id: string
  readonly content: readonly ContentBlock[]
}
/** The assistant thought. Contentless unless the fold was told to carry reasoning. */
export interface AssistantThinking {
  readonly type: 'assistant_thinking'
  readonly message_id?: string
  readonly text?: string
  readonly signature?: string
  readonly encrypted?: string
}
/** Who runs a call: the agent, the client, or the agent once somebody agreed. */
export type Disposition = 'executed' | 'pending_client' | 'pending_builtin'
/** A call that the assistant made. `raw_input` is its text where that is not `JSON.stringify(input)`. */
export interface ToolCallFact {
  readonly type: 'tool_call'
  readonly id: string
  readonly name: string
  readonly input: Json
  readonly disposition: Disposition
  readonly message_id?: string
  readonly raw_input?: string
}
/** The result of a call. `id` is the call's, `message_id` the stored tool message's. `ToolResult` is the older page's. */
export interface ToolResultFact {
  readonly type: 'tool_result'
  readonly id: string
  readonly content: readonly ContentBlock[]
  readonly is_error: boolean
  readonly message_id?: string
  readonly name?: string
  readonly data?: Json
  readonly denied?: boolean
  readonly cancelled?: boolean
}
/** The run waits for somebody. It ends this segment; what follows is the next. */
export interface Awaiting {
  readonly type: 'awaiting'
  readonly pending_tool_use_id: string | null
  readonly pending?: readonly Pending[]
}
/**
 * The run goes on although it could have stopped, or otherwise than it would have: because it was steered, or by its own rule.
 * `messages` are what was said to it meanwhile, by users or the system.
 */
export interface Continuation {
  readonly type: 'continuation'
  readonly steered: boolean
  readonly detail: Json
  readonly messages?: readonly Message[]
}
/** The run ended and did not fail. `exhausted`: it had used up its steps. */
export interface RunFinished {
  readonly type: 'run_finished'
  readonly exhausted: boolean
  readonly cause?: EndCause
  readonly result?: Json
}
export interface RunFailed {
  readonly type: 'run_failed'
  readonly code: string
  readonly message: string
}
/** One assistant message and the results of its calls are complete. */
export interface StepEnded {
  readonly type: 'step_ended'
  readonly message_id: string
}
/** One model call is over. `duration_ms` is wall time. */
export interface InferenceCompleted {
  readonly type: 'inference_completed'
  readonly model: string
  readonly usage?: TokenUsage
  readonly duration_ms: number
}
/** `revision` says how many patches of the segment it holds: none of those is shown after it. */
export interface StateSnapshot {
  readonly type: 'state_snapshot'
  readonly snapshot: Json
  readonly revision?: number
}
/** `revision` says how many patches of this activity it holds: none of those is shown after it. */
export interface ActivitySnapshot {
  readonly type: 'activity_snapshot'
  readonly message_id: string
  readonly activity_type: string
  readonly content: Json
  readonly replace?: boolean
  readonly revision?: number
}

/** The nine facts of Awaken's first version. */
export type V1Fact =
  | RunStarted
  | AssistantMessage
  | AssistantThinking
  | ToolCallFact
  | ToolResultFact
  | Awaiting
  | Continuation
  | RunFinished
  | RunFailed

export type Fact = V1Fact | StepEnded | InferenceCompleted | StateSnapshot | ActivitySnapshot

// ── Deltas ──

/** `offset` is where the fragment starts in its message's text, in UTF-16 units. */
export interface TextDelta {
  readonly type: 'text_delta'
  readonly delta: string
  readonly message_id?: string
  readonly offset?: number
}
export interface ReasoningDelta {
  readonly type: 'reasoning_delta'
  readonly delta: string
  readonly message_id?: string
  readonly offset?: number
}
/** `args_delta` is a suffix of the arguments' text, never the whole again. An empty one announces the call. */
export interface ToolCallDelta {
  readonly type: 'tool_call_delta'
  readonly id: string
  readonly name: string
  readonly args_delta: string
  readonly message_id?: string
  readonly offset?: number
  readonly disposition?: Disposition
}
export interface StepStarted {
  readonly type: 'step_started'
  readonly message_id: string
}
/** What a running tool prints. Never part of its result. */
export interface ToolOutputDelta {
  readonly type: 'tool_output_delta'
  readonly id: string
  readonly name: string
  readonly delta: string
}
/**
 * `revision` counts the patches of the segment from 0; one that is out of sequence is not shown, nor is any after a snapshot that
 * does not say which it holds.
 */
export interface StateDelta {
  readonly type: 'state_delta'
  readonly delta: readonly JsonPatch[]
  readonly revision?: number
}
/** `revision` counts the patches of this activity in the segment from 0. */
export interface ActivityDelta {
  readonly type: 'activity_delta'
  readonly message_id: string
  readonly activity_type: string
  readonly patch: readonly JsonPatch[]
  readonly revision?: number
}
/** The call will not come: drop what was buffered for it. */
export interface ToolCallCancelled {
  readonly type: 'tool_call_cancelled'
  readonly id: string
  readonly name: string
  readonly reason: string
}
/** Drop every delta of the current step. The new attempt uses a new `message_id`. */
export interface StreamReset {
  readonly type: 'stream_reset'
  readonly reason: string
}

/** The three deltas of Awaken's first version. */
export type V1Delta = TextDelta | ReasoningDelta | ToolCallDelta

export type Delta =
  | V1Delta
  | StepStarted
  | ToolOutputDelta
  | StateDelta
  | ActivityDelta
  | ToolCallCancelled
  | StreamReset

// ── Envelope ──

export interface FactEvent {
  readonly tier: 'fact'
  readonly event: Fact
}
export interface DeltaEvent {
  readonly tier: 'delta'
  readonly event: Delta
}
export type AgentEvent = FactEvent | DeltaEvent

export function factEvent(event: Fact): FactEvent {
  return { tier: 'fact', event }
}

export function deltaEvent(event: Delta): DeltaEvent {
  return { tier: 'delta', event }
}

/** What a run gives: its events, in order. */
export type RunOutput = AsyncIterable<AgentEvent>
