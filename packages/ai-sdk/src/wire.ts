/**
 * The chunks of a UI message stream, spelled as the AI SDK spells them, and those of `data-*` that are this package's own.
 *
 * One stream builds one UI message, part by part. A client refuses a type that it does not know, and a field that is missing.
 *
 * @see https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 */
import type { Json, JsonObject, JsonPatch, Message, TokenUsage } from '@factwire/core'

/** Whose client reads: the oldest major that has to understand the stream. */
export type Target = 'v5' | 'v6' | 'v7'

/** What a part says beside, by whom it is. */
export type ProviderMetadata = { readonly [provider: string]: JsonObject }

export interface StartChunk {
  readonly type: 'start'
  readonly messageId?: string
  readonly messageMetadata?: unknown
}
/** A model's turn begins. */
export interface StartStepChunk {
  readonly type: 'start-step'
}
export interface FinishStepChunk {
  readonly type: 'finish-step'
}
/** The parts of the step are gone. Since 7.0.77. */
export interface ResetStepChunk {
  readonly type: 'reset-step'
}
export interface TextStartChunk {
  readonly type: 'text-start' | 'reasoning-start'
  readonly id: string
  readonly providerMetadata?: ProviderMetadata
}
export interface TextDeltaChunk {
  readonly type: 'text-delta' | 'reasoning-delta'
  readonly id: string
  readonly delta: string
  readonly providerMetadata?: ProviderMetadata
}
export interface TextEndChunk {
  readonly type: 'text-end' | 'reasoning-end'
  readonly id: string
  readonly providerMetadata?: ProviderMetadata
}
export interface ToolInputStartChunk {
  readonly type: 'tool-input-start'
  readonly toolCallId: string
  readonly toolName: string
  /** Somebody else than the client runs it. */
  readonly providerExecuted?: boolean
  readonly dynamic?: boolean
}
export interface ToolInputDeltaChunk {
  readonly type: 'tool-input-delta'
  readonly toolCallId: string
  readonly inputTextDelta: string
}
export interface ToolInputAvailableChunk {
  readonly type: 'tool-input-available'
  readonly toolCallId: string
  readonly toolName: string
  readonly input: Json
  readonly providerExecuted?: boolean
  readonly providerMetadata?: ProviderMetadata
  readonly dynamic?: boolean
}
/** The arguments are none: nobody runs the call. */
export interface ToolInputErrorChunk {
  readonly type: 'tool-input-error'
  readonly toolCallId: string
  readonly toolName: string
  readonly input: Json
  readonly errorText: string
  readonly providerExecuted?: boolean
  readonly providerMetadata?: ProviderMetadata
  readonly dynamic?: boolean
}
/** Since 6. */
export interface ToolApprovalRequestChunk {
  readonly type: 'tool-approval-request'
  readonly approvalId: string
  readonly toolCallId: string
  readonly isAutomatic?: boolean
}
/** Since 7. */
export interface ToolApprovalResponseChunk {
  readonly type: 'tool-approval-response'
  readonly approvalId: string
  readonly approved: boolean
  readonly reason?: string
}
export interface ToolOutputAvailableChunk {
  readonly type: 'tool-output-available'
  readonly toolCallId: string
  readonly output: Json
  readonly providerExecuted?: boolean
  readonly providerMetadata?: ProviderMetadata
  readonly dynamic?: boolean
  readonly preliminary?: boolean
}
export interface ToolOutputErrorChunk {
  readonly type: 'tool-output-error'
  readonly toolCallId: string
  readonly errorText: string
  readonly providerExecuted?: boolean
  readonly providerMetadata?: ProviderMetadata
  readonly dynamic?: boolean
}
/** Since 6. */
export interface ToolOutputDeniedChunk {
  readonly type: 'tool-output-denied'
  readonly toolCallId: string
}
/** Anything of an application's own. What is transient is told and not kept. */
export interface DataChunk {
  readonly type: `data-${string}`
  readonly id?: string
  readonly data: Json
  readonly transient?: boolean
}
export interface MessageMetadataChunk {
  readonly type: 'message-metadata'
  readonly messageMetadata: unknown
}
/** A client gives up here, and looks at nothing behind it. */
export interface ErrorChunk {
  readonly type: 'error'
  readonly errorText: string
}
export interface AbortChunk {
  readonly type: 'abort'
  readonly reason?: string
}
export interface FinishChunk {
  readonly type: 'finish'
  readonly finishReason?: FinishReason
  readonly messageMetadata?: unknown
}
/** What other servers also send, and what says nothing here: sources, files, and whatever comes after this version. */
export interface OtherChunk {
  readonly type: 'other'
  readonly name: string
}

export type FinishReason =
  | 'stop'
  | 'length'
  | 'content-filter'
  | 'tool-calls'
  | 'error'
  | 'interrupted'
  | 'other'
  | 'unknown'

export type UiChunk =
  | StartChunk
  | StartStepChunk
  | FinishStepChunk
  | ResetStepChunk
  | TextStartChunk
  | TextDeltaChunk
  | TextEndChunk
  | ToolInputStartChunk
  | ToolInputDeltaChunk
  | ToolInputAvailableChunk
  | ToolInputErrorChunk
  | ToolApprovalRequestChunk
  | ToolApprovalResponseChunk
  | ToolOutputAvailableChunk
  | ToolOutputErrorChunk
  | ToolOutputDeniedChunk
  | DataChunk
  | MessageMetadataChunk
  | ErrorChunk
  | AbortChunk
  | FinishChunk
  | OtherChunk

/** The end mark, which is no JSON. */
export const DONE = '[DONE]'

export type UiFrame = UiChunk | typeof DONE

/** Frames of exactly this shape: in a bare literal a misspelt optional field would compile. */
export const frames = (...given: readonly UiFrame[]): readonly UiFrame[] => given

/** The `data-*` chunks of this package, by the name behind `data-`, all transient: for `UIMessage<unknown, FactwireData>`. */
export type FactwireData = {
  /** Which run speaks. */
  readonly run: { readonly run_id: string; readonly thread_id: string }
  /** The stored id of the message whose step begins. */
  readonly step: { readonly message_id: string }
  /** The agent's state, whole. */
  readonly state: Json
  /** A change of it. */
  readonly 'state-delta': readonly JsonPatch[]
  readonly activity: {
    readonly message_id: string
    readonly activity_type: string
    readonly content: Json
    readonly replace?: boolean
  }
  readonly 'activity-delta': {
    readonly message_id: string
    readonly activity_type: string
    readonly patch: readonly JsonPatch[]
  }
  /** What a running tool prints. */
  readonly 'tool-output': { readonly toolCallId: string; readonly delta: string }
  /** The result of a call that stands in an earlier message; or of one that was denied, where the client has no place for the reason. */
  readonly 'tool-result': {
    readonly toolCallId: string
    readonly text: string
    readonly is_error: boolean
    readonly denied?: boolean
  }
  readonly continuation: { readonly steered: boolean; readonly detail: Json; readonly messages?: readonly Message[] }
}

/** What this package says by a transient chunk. */
export function aside<Name extends keyof FactwireData>(name: Name, data: FactwireData[Name]): DataChunk {
  // Interfaces are JSON by their fields, which the compiler does not see.
  return { type: `data-${name}`, data: data as unknown as Json, transient: true }
}

/** Usage as the AI SDK counts it. */
export interface UiUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
  readonly reasoningTokens?: number
  readonly cachedInputTokens?: number
  readonly cacheWriteInputTokens?: number
}

/** Both names of a count. */
export const USAGE_NAMES: Readonly<Record<keyof TokenUsage, keyof UiUsage>> = {
  prompt_tokens: 'inputTokens',
  completion_tokens: 'outputTokens',
  total_tokens: 'totalTokens',
  thinking_tokens: 'reasoningTokens',
  cache_read_tokens: 'cachedInputTokens',
  cache_creation_tokens: 'cacheWriteInputTokens',
}
