/** Asks an OpenAI-compatible provider by chat completions. */
import type { Json, Message } from '@factwire/core'
import { type ChatFrame, history, openaiChat } from '@factwire/openai-chat'
import type { UpstreamWire } from '../upstream.ts'

export const upstream: UpstreamWire<ChatFrame> = {
  wire: openaiChat,
  path: '/chat/completions',
  headers: (key) => (key === '' ? {} : { authorization: `Bearer ${key}` }),
  body: ({ messages, tools }, model, instructions) => ({
    model,
    stream: true,
    stream_options: { include_usage: true },
    // What the wire shapes is JSON.
    messages: history({ messages: [...said(instructions), ...messages] }) as unknown as Json,
    ...(tools.length > 0 ? { tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })) } : {}),
  }),
}

function said(instructions: string | undefined): readonly Message[] {
  if (instructions === undefined) return []
  return [{ id: 'instructions', role: 'system', content: [{ type: 'text', text: instructions }] }]
}
