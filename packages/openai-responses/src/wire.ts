/**
 * The Responses stream as the wire spells it.
 *
 * What arrives comes from many servers, each with its own idea of the format, so every value is `unknown` until somebody has
 * looked at it. Fields that say nothing about the answer, such as `obfuscation`, are left out.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
import type { JsonObject } from '@factwire/core'
import type { OutputItem, OutputText, SummaryText } from './item.ts'
import type { ResponseObject } from './response.ts'

/** The data of the last event of some servers; OpenAI's own stream ends without it. */
export const DONE = '[DONE]'

export type ResponsesFrame = ResponsesEvent | typeof DONE

// ── What is read ──

/** Any event. `response.completed` also stands for a whole answer that was not streamed. */
export interface ResponsesEvent {
  readonly type: string
  readonly sequence_number?: unknown
  readonly response?: unknown
  readonly output_index?: unknown
  readonly content_index?: unknown
  readonly summary_index?: unknown
  readonly item_id?: unknown
  readonly item?: unknown
  readonly part?: unknown
  readonly delta?: unknown
  readonly text?: unknown
  readonly refusal?: unknown
  readonly arguments?: unknown
  readonly input?: unknown
  /** Of `error`: flat, or an object. */
  readonly error?: unknown
  readonly code?: unknown
  readonly message?: unknown
}

// ── What is written ──

export type WrittenFrame = WrittenEvent | typeof DONE

export type WrittenEvent =
  | LifecycleEvent
  | OutputItemEvent
  | ContentPartEvent
  | OutputTextDeltaEvent
  | OutputTextDoneEvent
  | SummaryPartEvent
  | SummaryTextDeltaEvent
  | SummaryTextDoneEvent
  | ArgumentsDeltaEvent
  | ArgumentsDoneEvent
  | McpCallEvent

export type Lifecycle =
  | 'response.created'
  | 'response.in_progress'
  | 'response.completed'
  | 'response.incomplete'
  | 'response.failed'

interface Numbered<Type extends string> {
  readonly type: Type
  readonly sequence_number: number
}

export interface LifecycleEvent extends Numbered<Lifecycle> {
  readonly response: ResponseObject
}
export interface OutputItemEvent extends Numbered<'response.output_item.added' | 'response.output_item.done'> {
  readonly output_index: number
  readonly item: OutputItem
}

/** What belongs to an item that was added. */
interface OfItem<Type extends string> extends Numbered<Type> {
  readonly item_id: string
  readonly output_index: number
}
interface OfContent<Type extends string> extends OfItem<Type> {
  readonly content_index: 0
}
interface OfSummary<Type extends string> extends OfItem<Type> {
  readonly summary_index: 0
}

export interface ContentPartEvent extends OfContent<'response.content_part.added' | 'response.content_part.done'> {
  readonly part: OutputText
}
export interface OutputTextDeltaEvent extends OfContent<'response.output_text.delta'> {
  readonly delta: string
  readonly logprobs: readonly []
}
export interface OutputTextDoneEvent extends OfContent<'response.output_text.done'> {
  readonly text: string
  readonly logprobs: readonly []
}
export interface SummaryPartEvent extends OfSummary<
  'response.reasoning_summary_part.added' | 'response.reasoning_summary_part.done'
> {
  readonly part: SummaryText
}
export interface SummaryTextDeltaEvent extends OfSummary<'response.reasoning_summary_text.delta'> {
  readonly delta: string
}
export interface SummaryTextDoneEvent extends OfSummary<'response.reasoning_summary_text.done'> {
  readonly text: string
}
export interface ArgumentsDeltaEvent extends OfItem<
  'response.function_call_arguments.delta' | 'response.mcp_call_arguments.delta'
> {
  readonly delta: string
}
export interface ArgumentsDoneEvent extends OfItem<
  'response.function_call_arguments.done' | 'response.mcp_call_arguments.done'
> {
  readonly arguments: string
}
export type McpCallEvent = OfItem<
  'response.mcp_call.in_progress' | 'response.mcp_call.completed' | 'response.mcp_call.failed'
>

/** The body of a response to a request that was refused. An alias, so that it is JSON to the compiler. */
export type ErrorBody = { readonly error: ErrorDetail }

export type ErrorDetail = {
  readonly message: string
  readonly type: ErrorType
  readonly param: null
  readonly code: string
}

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'server_error'

/** What of a request the answer repeats. */
export type Echo = JsonObject
