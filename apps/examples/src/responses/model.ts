/** A model that is asked through this wire, for the agent of `@factwire/runtime`. */
import { history, openaiResponses, type ResponsesFrame } from '@factwire/openai-responses'
import type { Model } from '@factwire/runtime'
import { readSse } from '@factwire/sse'

export const model = (url: string, key: string): Model<ResponsesFrame> => ({
  wire: openaiResponses,
  messages: readSse,
  request: ({ messages, tools }) => ({
    url: `${url}/responses`,
    headers: { authorization: `Bearer ${key}` },
    body: {
      model: 'some-model',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      input: history({ messages }),
      tools: tools.map((tool) => ({ type: 'function', ...tool })),
    },
  }),
})
