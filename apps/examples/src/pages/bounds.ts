import { type AgentEvent, decode, type Json, parseJson } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { readSse } from '@factwire/sse'

/** A body from anybody. */
export const readBody = (text: string): Json => parseJson(text, { size: 100_000, depth: 32 })

/** A stream from anybody: of one message, no more than this is kept in memory. */
export const readStream = (answer: Response): AsyncIterable<AgentEvent> =>
  decode(openaiChat, readSse(answer, { maxSize: 1024 * 1024 }))
