/** The official OpenAI SDK: a streamed chat completion, read as its documentation does. */
import { OpenAI } from 'openai'
import type { ChatCompletionFunctionTool } from 'openai/resources'
import type { Contender } from '../contender.ts'
import { words } from '../shown.ts'
import { providerArguments } from '../provider.ts'
import { bodyOf, type Stream } from '../stream.ts'
import type { Workload } from '../workload.ts'

const HEADERS = { 'content-type': 'text/event-stream' }

/** A strict tool: its arguments are parsed while they come. */
const TOOL: ChatCompletionFunctionTool = {
  type: 'function',
  function: { name: 'edit_file', strict: true, parameters: { type: 'object' } },
}

export function openaiStream(stream: Stream): Contender {
  return {
    name: 'openai stream()',
    async run(take) {
      for await (const { choices } of chunksOf(stream, [])) take(choices[0]?.delta.content ?? '')
    },
    shows: words,
  }
}

export function openaiArguments({ events }: Workload): Contender {
  const stream = providerArguments(
    events.flatMap(({ event }) => (event.type === 'tool_call_delta' ? [event.args_delta] : [])),
  )
  return {
    name: 'openai stream(), a strict tool',
    async run(take) {
      for await (const { choices } of chunksOf(stream, [TOOL])) {
        take(choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? '')
      }
    },
  }
}

function chunksOf(
  stream: Stream,
  tools: ChatCompletionFunctionTool[],
): ReturnType<OpenAI['chat']['completions']['stream']> {
  const client = new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    fetch: async () => new Response(bodyOf(stream), { headers: HEADERS }),
  })
  const messages = [{ role: 'user' as const, content: 'Go on.' }]
  return client.chat.completions.stream({ model: 'model-1', messages, ...(tools.length > 0 ? { tools } : {}) })
}
