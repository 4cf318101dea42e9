/** A provider of chat completion chunks, for the torture of a decoder. */
import type { Speaker } from '@factwire/conformance'

const FINISH = { stop: 'stop', calls: 'tool_calls', length: 'length' } as const

export function speaker(): Speaker {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const message = (fields: object): string => `data: ${JSON.stringify({ ...head, ...fields })}\n\n`
  const choice = (delta: object, finish: string | null = null): object => ({
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  return {
    finishEnds: false,
    start: () => message(choice({ role: 'assistant', content: '' })),
    text: (content) => message(choice({ content })),
    call: ({ index, id, name }) =>
      message(
        choice({
          tool_calls: [
            { index, ...(id === undefined ? {} : { id }), type: 'function', function: { name, arguments: '' } },
          ],
        }),
      ),
    args: ({ index }, piece) => message(choice({ tool_calls: [{ index, function: { arguments: piece } }] })),
    finish: (reason) => message(choice({}, FINISH[reason])),
    usage: ({ prompt, completion }) =>
      message({
        choices: [],
        usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
      }),
    error: (error, beside) =>
      beside === undefined
        ? `data: ${JSON.stringify({ error })}\n\n`
        : message({ ...choice({ content: beside }), error }),
    keepAlive: () => ': keep-alive\n\n',
    done: () => 'data: [DONE]\n\n',
  }
}
