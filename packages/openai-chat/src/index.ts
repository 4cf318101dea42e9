/** Chat completion streams: reads any OpenAI-compatible provider, and serves a run to any of its clients. */
import type { Fact, Protocol, RequestOptions, RunContext } from '@factwire/core'
import { complete, type CompleteOptions } from './complete.ts'
import { decoder, type OpenAiChatDecoderOptions } from './decoder.ts'
import { error } from './error-body.ts'
import { fidelity } from './fidelity.ts'
import { framing } from './framing.ts'
import { grammar } from './grammar.ts'
import { history, type HistoryOptions } from './history.ts'
import { type ChatRequest, request } from './request.ts'
import type { OpenAiChatOptions } from './options.ts'
import { transcoder } from './transcoder.ts'
import type { ChatCompletion, ChatFailure, ChatFrame } from './wire.ts'

export interface OpenAiChat extends Protocol<ChatFrame, OpenAiChatOptions> {
  decoder(options?: OpenAiChatDecoderOptions): ReturnType<typeof decoder>
  complete(facts: readonly Fact[], run: RunContext, options?: CompleteOptions): ChatCompletion | ChatFailure
  request(body: unknown, options?: RequestOptions): ChatRequest
}

export const openaiChat: OpenAiChat = {
  name: 'openai-chat',
  framing,
  resume: 'none',
  fidelity,
  grammar,
  transcoder,
  decoder,
  complete,
  history,
  request,
  error,
}

export { complete, decoder, error, fidelity, framing, grammar, history, request, transcoder }
export type { ChatRequest, CompleteOptions, HistoryOptions, OpenAiChatDecoderOptions, OpenAiChatOptions }
export type { ArgumentMode } from './arguments.ts'
export type {
  ChatChunk,
  ChatCompletion,
  ChatError,
  ChatErrorBody,
  ChatFailure,
  ChatFrame,
  ChatMessage,
  WrittenChunk,
  WrittenFrame,
} from './wire.ts'
