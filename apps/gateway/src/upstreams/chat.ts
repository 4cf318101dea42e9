/** Asks an OpenAI-compatible provider by chat completions. */
import type { Json } from '@factwire/core'
import { type ChatFrame, history, openaiChat } from '@factwire/openai-chat'
import { instructing, type UpstreamWire } from '../upstream.ts'

export const upstream: UpstreamWire<ChatFrame> = {
  wire: openaiChat,
  path: '/chat/completions',
  headers: (key) => (key === '' ? {} : { authorization: `Bearer ${key}` }),
  body: ({ messages, tools }, model, instructions) => ({
    model,
    stream: true,
    stream_options: { include_usage: true },
    // What the wire shapes is JSON.
    messages: history({ messages: instructing(instructions, messages) }) as unknown as Json,
    ...(tools.length > 0 ? { tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })) } : {}),
  }),
}
