/** A run: who it is, how it stands, why it ended, whom it waits for. */
import type { Json, JsonObject } from './json.ts'
import type { Message } from './thread.ts'

/** What a transcoder is told about the run. Not an event. */
export interface RunContext {
  readonly threadId: string
  readonly runId: string
  readonly parentRunId?: string
  readonly identity?: RunIdentity
  readonly agentId?: string
  readonly model?: string
  /** Unix time, milliseconds. */
  readonly startedAt?: number
  /** The thread's earlier messages, with the ids that clients know. */
  readonly history?: readonly Message[]
}

/** Why a run failed. Without `message` a fixed sentence for the code stands in. */
export interface Failure {
  readonly code: string
  readonly message?: string
}

export type EndCause =
  | { readonly type: 'natural_end' }
  | { readonly type: 'behavior_requested' }
  | { readonly type: 'max_steps'; readonly code?: string }
  | { readonly type: 'stopped'; readonly code: string; readonly detail?: string }
  | { readonly type: 'cancelled' }
  | { readonly type: 'blocked'; readonly reason: string }
  | { readonly type: 'error'; readonly failure: Failure }
  | { readonly type: 'indeterminate' }

export type RunState =
  | { readonly type: 'running' }
  | { readonly type: 'awaiting' }
  | { readonly type: 'ended'; readonly cause: EndCause }

/** One thing that a run waits for: the client runs a tool, or somebody approves one. */
export interface Pending {
  readonly tool_use_id: string
  readonly kind: 'client' | 'approval'
  readonly approval_id?: string
  readonly message?: string
  readonly parameters?: Json
  readonly response_schema?: Json
  /** ISO 8601. */
  readonly expires_at?: string
}

/** Flat on the wire. Absent `run_mode` means foreground, absent `adapter` means internal. */
export interface RunIdentity {
  readonly thread_id: string
  readonly parent_thread_id?: string
  readonly run_id: string
  readonly parent_run_id?: string
  readonly agent_id: string
  readonly parent_tool_call_id?: string
  readonly dispatch_id?: string
  readonly session_id?: string
  readonly transport_request_id?: string
  readonly origin: 'user' | 'mcp' | 'subagent' | 'internal'
  readonly run_mode?: 'foreground' | 'scheduled' | 'resume' | 'internal_wake'
  readonly adapter?: 'internal' | 'acp' | 'ai_sdk' | 'ag_ui' | 'a2a' | 'mcp'
}

// ── Of the older page ──

/** Why a run terminated. Unit cases carry no `value`. */
export type TerminationReason =
  | { readonly type: 'natural_end' }
  | { readonly type: 'behavior_requested' }
  | { readonly type: 'stopped'; readonly value: StoppedReason }
  | { readonly type: 'cancelled' }
  | { readonly type: 'blocked'; readonly value: string }
  | { readonly type: 'suspended' }
  | { readonly type: 'error'; readonly value: string }

export interface StoppedReason {
  readonly code: string
  readonly detail?: string
}

export type ToolStatus = 'success' | 'pending' | 'error'
export type ToolCallOutcome = 'succeeded' | 'failed' | 'suspended'

/** What a tool gave. `data` and `message` are always present, null where there is none. */
export interface ToolResult {
  readonly tool_name: string
  readonly status: ToolStatus
  readonly data: Json
  readonly message: string | null
  readonly suspension?: SuspendTicket
  readonly metadata?: JsonObject
}

export interface Suspension {
  readonly id: string
  readonly action: string
  readonly message?: string
  readonly parameters?: Json
  readonly response_schema?: Json
}

export type ResumeMode = 'replay_tool_call' | 'use_decision_as_tool_result' | 'pass_decision_to_tool'

/** Why a call is suspended and how it goes on. */
export interface SuspendTicket {
  readonly suspension: Suspension
  readonly pending: { readonly id: string; readonly name: string; readonly arguments: Json }
  readonly resume_mode: ResumeMode
}

/** One message pushed into a run. */
export interface RunMessage {
  readonly role: string
  readonly content: string
}

/** The body that pushes messages into a run. At least one message is required. */
export interface PushRunInputsPayload {
  readonly messages: readonly RunMessage[]
}
