/** Chat completion streams: reads any OpenAI-compatible provider, and serves a run to any of its clients. */
import type { Decodable, Encodable } from '@factwire/core'
import { decoder, type OpenAiChatDecoderOptions } from './decoder.ts'
import { error } from './error-body.ts'
import { framing } from './framing.ts'
import { type OpenAiChatOptions, transcoder } from './transcoder.ts'
import type { ChatFrame } from './wire.ts'

export type { ArgumentMode } from './arguments.ts'
export type { OpenAiChatDecoderOptions } from './decoder.ts'
export type { OpenAiChatOptions } from './transcoder.ts'
export type { ChatChunk, ChatError, ChatErrorBody, ChatFrame } from './wire.ts'
export { decoder, error, framing, transcoder }

export const openaiChat: Encodable<ChatFrame, OpenAiChatOptions> & Decodable<ChatFrame, OpenAiChatDecoderOptions> = {
  name: 'openai-chat',
  framing,
  resume: 'none',
  transcoder,
  decoder,
  error,
}
