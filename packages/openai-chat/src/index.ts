/** Reads chat completion streams, as OpenAI and the many that imitate it send them. */
import type { Decodable } from '@factwire/core'
import { decoder, type OpenAiChatDecoderOptions } from './decoder.ts'
import { framing } from './framing.ts'
import type { ChatFrame } from './wire.ts'

export type { ArgumentMode } from './arguments.ts'
export type { OpenAiChatDecoderOptions } from './decoder.ts'
export type { ChatChunk, ChatError, ChatErrorBody, ChatFrame } from './wire.ts'
export { decoder } from './decoder.ts'
export { framing } from './framing.ts'

export const openaiChat: Decodable<ChatFrame, OpenAiChatDecoderOptions> = { name: 'openai-chat', framing, decoder }
