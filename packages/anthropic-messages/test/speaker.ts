/** A provider of the Messages API, for the torture of a decoder. */
import type { Speaker } from '@factwire/conformance'

const STOP = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens' } as const

export function speaker(): Speaker {
  const message = (event: { readonly type: string; readonly [field: string]: unknown }): string =>
    `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
  const indices = new Map<number, number>()
  let count = 0
  let text: number | undefined

  return {
    finishEnds: false,
    markEnds: true,
    start: () =>
      message({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 0, output_tokens: 0 },
        },
      }),
    text(piece) {
      const before = text === undefined ? started((text = count++), { type: 'text', text: '' }) : ''
      return before + delta(text, { type: 'text_delta', text: piece })
    },
    call({ index, id, name }) {
      const place = indices.get(index) ?? count++
      indices.set(index, place)
      const before = text === undefined ? '' : message({ type: 'content_block_stop', index: text })
      text = undefined
      return before + started(place, { type: 'tool_use', ...(id === undefined ? {} : { id }), name, input: {} })
    },
    args: ({ index }, piece) => delta(indices.get(index) ?? 0, { type: 'input_json_delta', partial_json: piece }),
    finish: (reason) =>
      message({
        type: 'message_delta',
        delta: { stop_reason: STOP[reason], stop_sequence: null },
        usage: { output_tokens: 0 },
      }),
    usage: ({ prompt, completion }) =>
      message({
        type: 'message_delta',
        delta: { stop_reason: null },
        usage: { input_tokens: prompt, output_tokens: completion },
      }),
    error: ({ code, message: words }, beside) =>
      beside === undefined ? message({ type: 'error', error: { type: code, message: words } }) : undefined,
    keepAlive: () => 'event: ping\ndata: {"type": "ping"}\n\n',
    done: () => message({ type: 'message_stop' }),
  }

  function started(index: number, content_block: object): string {
    return message({ type: 'content_block_start', index, content_block })
  }

  function delta(index: number, body: object): string {
    return message({ type: 'content_block_delta', index, delta: body })
  }
}
