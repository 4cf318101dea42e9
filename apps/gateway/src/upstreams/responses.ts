/** Asks a provider that speaks OpenAI's Responses. It is told the whole thread each time, and keeps nothing. */
import type { Json } from '@factwire/core'
import { history, openaiResponses, type ResponsesFrame } from '@factwire/openai-responses'
import type { UpstreamWire } from '../upstream.ts'

export const upstream: UpstreamWire<ResponsesFrame> = {
  wire: openaiResponses,
  path: '/responses',
  headers: (key) => (key === '' ? {} : { authorization: `Bearer ${key}` }),
  body: ({ messages, tools }, model, instructions) => ({
    model,
    stream: true,
    store: false,
    ...(instructions === undefined ? {} : { instructions }),
    // What the wire shapes is JSON.
    input: history({ messages }) as unknown as Json,
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, parameters = { type: 'object', properties: {} } }) => ({
            type: 'function',
            name,
            ...(description === undefined ? {} : { description }),
            parameters,
            strict: false,
          })),
        }
      : {}),
  }),
}
