/** Messages as the AI SDK's clients keep them and send them. What is optional here may be missing from any of them. */
import type { Json } from '@factwire/core'
import type { MessageMetadata } from './metadata.ts'
import type { ProviderMetadata } from './wire.ts'

export interface UiMessage {
  readonly id: string
  readonly role: 'system' | 'user' | 'assistant'
  readonly metadata?: MessageMetadata
  readonly parts: readonly UiPart[]
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly state?: 'streaming' | 'done'
}
export interface ReasoningPart {
  readonly type: 'reasoning'
  /** Clients of v5 and later keep it. */
  readonly id?: string
  readonly text: string
  readonly state?: 'streaming' | 'done'
}
export interface FilePart {
  readonly type: 'file'
  readonly mediaType: string
  readonly filename?: string
  readonly url: string
}
export interface StepStartPart {
  readonly type: 'step-start'
}

export type ToolState =
  | 'input-streaming'
  | 'input-available'
  | 'approval-requested'
  | 'approval-responded'
  | 'output-available'
  | 'output-error'
  | 'output-denied'

/** A call, with whatever has become of it. */
export interface ToolPart {
  readonly type: `tool-${string}`
  readonly toolCallId: string
  readonly state: ToolState
  readonly input?: Json
  /** Arguments that are no JSON; v7 has them in `input`. */
  readonly rawInput?: Json
  readonly output?: Json
  readonly errorText?: string
  readonly providerExecuted?: boolean
  readonly callProviderMetadata?: ProviderMetadata
  readonly resultProviderMetadata?: ProviderMetadata
  readonly approval?: Approval
}

export interface Approval {
  readonly id: string
  readonly approved?: boolean
  readonly reason?: string
}

export type UiPart = TextPart | ReasoningPart | FilePart | StepStartPart | ToolPart
