/**
 * The chat completions stream as the wire spells it.
 *
 * What arrives comes from many servers, each with its own idea of the format, so every value is `unknown` until somebody has
 * looked at it. Fields that say nothing about the message, such as `obfuscation` or `logprobs`, are left out.
 *
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
import type { Json } from '@factwire/core'

/** `object` of every chunk. */
export const CHUNK = 'chat.completion.chunk'

/** The data of the last event. */
export const DONE = '[DONE]'

export type ChatFrame = ChatChunk | ChatError | typeof DONE

// ── What is written ──

export type WrittenFrame = WrittenChunk | ExtendedChunk | ChatFailure | typeof DONE

/** A chunk that says nothing to a client but to one that knows the host's key. */
export type ExtendedChunk = WrittenChunk & { readonly [extension: string]: unknown }

/** What every chunk of an answer has. */
export interface ChunkHead {
  readonly id: string
  readonly object: typeof CHUNK
  /** Unix time, seconds. */
  readonly created: number
  readonly model: string
}

/** A chunk as we write it. */
export interface WrittenChunk extends ChunkHead {
  readonly choices: readonly WrittenChoice[]
  readonly usage?: Json
}

export interface WrittenChoice {
  readonly index: 0
  readonly delta: WrittenDelta
  readonly finish_reason: ChatFinishReason | null
}

export interface WrittenDelta {
  readonly role?: 'assistant'
  readonly content?: string
  readonly reasoning_content?: string
  readonly reasoning?: string
  readonly tool_calls?: readonly [WrittenCall]
}

/** The first piece of a call has its id and name, every piece some of its arguments. */
export interface WrittenCall {
  readonly index: number
  readonly id?: string
  readonly type?: 'function'
  readonly function: { readonly name?: string; readonly arguments: string }
}

// ── What is read ──

/** One `chat.completion.chunk`, or a whole `chat.completion` from a server that did not stream. */
export interface ChatChunk {
  readonly id?: unknown
  readonly object?: unknown
  /** Unix time, seconds. */
  readonly created?: unknown
  readonly model?: unknown
  readonly choices?: unknown
  readonly usage?: unknown
  /** Some providers report a failure inside a chunk, beside its choices. */
  readonly error?: unknown
  /** Groq: `usage` and `error` of its own. */
  readonly x_groq?: unknown
}

/** A failure in place of a chunk. */
export interface ChatError {
  /** An object as in {@link ChatErrorBody}, or text. */
  readonly error: unknown
}

export interface ChatErrorBody {
  readonly message?: unknown
  readonly type?: unknown
  readonly code?: unknown
  readonly param?: unknown
}

export interface ChatChoice {
  readonly index?: unknown
  readonly delta?: unknown
  /** In place of `delta` the whole message, beside it a copy of what came so far. */
  readonly message?: unknown
  readonly finish_reason?: unknown
  readonly usage?: unknown
  readonly error?: unknown
}

/** What a `delta` or a `message` may hold. */
export interface ChatBody {
  readonly role?: unknown
  /** Text, or parts. */
  readonly content?: unknown
  readonly refusal?: unknown
  readonly reasoning_content?: unknown
  readonly reasoning?: unknown
  readonly reasoning_details?: unknown
  /** LiteLLM's name for details. */
  readonly thinking_blocks?: unknown
  readonly tool_calls?: unknown
  /** The form before `tool_calls`: one call without an id. */
  readonly function_call?: unknown
  readonly audio?: unknown
  readonly extra_content?: unknown
}

export interface ChatPart {
  readonly type?: unknown
  readonly text?: unknown
  readonly thinking?: unknown
  readonly refusal?: unknown
}

export interface ChatAudio {
  readonly transcript?: unknown
  /** Stands in the last piece, which may come without a finish. */
  readonly expires_at?: unknown
}

export interface ChatReasoningDetail {
  readonly type?: unknown
  readonly index?: unknown
  readonly text?: unknown
  readonly summary?: unknown
  readonly thinking?: unknown
  /** Encrypted reasoning. */
  readonly data?: unknown
  readonly signature?: unknown
}

export interface ChatToolCall {
  readonly index?: unknown
  readonly id?: unknown
  readonly type?: unknown
  readonly function?: unknown
  readonly custom?: unknown
  readonly extra_content?: unknown
}

export interface ChatFunction {
  readonly name?: unknown
  readonly arguments?: unknown
}

export interface ChatCustomTool {
  readonly name?: unknown
  readonly input?: unknown
}

/** Google's: `{ google: { thought_signature } }`, or `vertex` in place of `google`. */
export interface ChatExtraContent {
  readonly google?: unknown
  readonly vertex?: unknown
}

export interface ChatUsage {
  readonly prompt_tokens?: unknown
  readonly completion_tokens?: unknown
  readonly total_tokens?: unknown
  readonly prompt_tokens_details?: unknown
  readonly completion_tokens_details?: unknown
  /** DeepSeek's name for cached tokens. */
  readonly prompt_cache_hit_tokens?: unknown
}

// ── What this package writes ──

/** A failure: the body of a response, and the frame that ends a stream. An alias, so that it is JSON to the compiler. */
export type ChatFailure = { readonly error: ChatFailureBody }

export type ChatFailureBody = {
  readonly message: string
  readonly type: ChatFailureType
  readonly param: null
  readonly code: string
}

export type ChatFailureType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'server_error'

/** The answer to a request that did not ask for a stream. */
export type ChatCompletion = {
  readonly id: string
  readonly object: 'chat.completion'
  /** Unix time, seconds. */
  readonly created: number
  readonly model: string
  readonly choices: readonly [ChatCompletionChoice]
  readonly usage?: Json
}

export type ChatCompletionChoice = {
  readonly index: 0
  readonly message: ChatCompletionMessage
  readonly logprobs: null
  readonly finish_reason: ChatFinishReason
}

export type ChatFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

export type ChatCompletionMessage = {
  readonly role: 'assistant'
  readonly content: string | null
  readonly refusal: null
  readonly reasoning_content?: string
  readonly reasoning?: string
  readonly tool_calls?: readonly ChatMessageCall[]
}

/** A call, complete. `arguments` is text, which need not be JSON. */
export type ChatMessageCall = {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
  readonly extra_content?: ChatSignature
}

/** What Gemini wants back with a call or a message. */
export type ChatSignature = { readonly google: { readonly thought_signature: string } }

/** A message of a thread, as a provider is asked with it. The lists are the caller's to change, because the types of the SDK want that. */
export type ChatMessage = ChatSystemMessage | ChatUserMessage | ChatAssistantMessage | ChatToolMessage

export interface ChatSystemMessage {
  readonly role: 'system'
  readonly content: string
}
export interface ChatUserMessage {
  readonly role: 'user'
  readonly content: string | ChatContentPart[]
}
export interface ChatAssistantMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly reasoning_content?: string
  readonly reasoning?: string
  readonly reasoning_details?: readonly ChatReasoningBlock[]
  readonly extra_content?: ChatSignature
  readonly tool_calls?: ChatMessageCall[]
}
/** The result of one call. */
export interface ChatToolMessage {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly content: string
}

export type ChatContentPart = ChatTextPart | ChatImagePart | ChatAudioPart | ChatFilePart

export interface ChatTextPart {
  readonly type: 'text'
  readonly text: string
}
/** `url` may be a `data:` URL. */
export interface ChatImagePart {
  readonly type: 'image_url'
  readonly image_url: { readonly url: string }
}
export interface ChatAudioPart {
  readonly type: 'input_audio'
  readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' }
}
/** `file_data` is a `data:` URL. */
export interface ChatFilePart {
  readonly type: 'file'
  readonly file: { readonly file_id: string } | { readonly filename: string; readonly file_data: string }
}

/** One entry of `reasoning_details`. */
export type ChatReasoningBlock =
  | { readonly type: 'reasoning.text'; readonly index: number; readonly text: string; readonly signature?: string }
  | { readonly type: 'reasoning.encrypted'; readonly index: number; readonly data: string }
