/** What a client posts to run an AG-UI agent, and what the end of its run says: outcomes, interrupts, usage. */
import type { Json, JsonObject } from '@factwire/core'
import type { AgUiMessage, Metadata } from './wire-message.ts'

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
