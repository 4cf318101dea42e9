/** Asks a provider that speaks Anthropic's Messages. */
import { anthropicMessages, history, type MessagesFrame } from '@factwire/anthropic-messages'
import type { Json } from '@factwire/core'
import { instructing, type UpstreamWire } from '../upstream.ts'

/** The wire wants a bound. */
const MOST_TOKENS = 16_384

export const upstream: UpstreamWire<MessagesFrame> = {
  wire: anthropicMessages,
  path: '/messages',
  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key === '' ? {} : { 'x-api-key': key }) }),
  body: ({ messages, tools }, model, instructions) => ({
    model,
    max_tokens: MOST_TOKENS,
    stream: true,
    // What the wire shapes is JSON.
    ...(history({ messages: instructing(instructions, messages) }) as unknown as { readonly [key: string]: Json }),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, parameters = { type: 'object' } }) => ({
            name,
            ...(description === undefined ? {} : { description }),
            input_schema: parameters,
          })),
        }
      : {}),
  }),
}
