/** A server of UI message streams as the AI SDK has it, for the torture of a decoder. */
import type { Speaker } from '@factwire/conformance'

const FINISH = { stop: 'stop', calls: 'tool-calls', length: 'length' } as const

interface Told {
  readonly index: number
  readonly id: string
  readonly name: string
  args: string
}

export function speaker(): Speaker {
  const calls = new Map<string, Told>()
  let speaking = false
  const message = (...chunks: readonly object[]): string =>
    chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')

  return {
    finishEnds: true,
    start: () => message({ type: 'start', messageId: 'answer-1' }, { type: 'start-step' }),
    text(delta) {
      const begun = speaking ? [] : [{ type: 'text-start', id: 'text-1' }]
      speaking = true
      return message(...begun, { type: 'text-delta', id: 'text-1', delta })
    },
    call({ index, id, name }) {
      // Calls are told apart by their ids alone.
      if (id === undefined || (calls.get(id)?.index ?? index) !== index) return undefined
      calls.set(id, { index, id, name, args: '' })
      return message({ type: 'tool-input-start', toolCallId: id, toolName: name })
    },
    args({ id = '' }, inputTextDelta) {
      const told = calls.get(id)
      if (told) told.args += inputTextDelta
      return message({ type: 'tool-input-delta', toolCallId: id, inputTextDelta })
    },
    finish(reason) {
      const ends = speaking ? [{ type: 'text-end', id: 'text-1' }] : []
      speaking = false
      // One whose arguments are no JSON has no end.
      const whole = [...calls.values()].flatMap(({ id: toolCallId, name: toolName, args }) => {
        try {
          return [{ type: 'tool-input-available', toolCallId, toolName, input: JSON.parse(args || '{}') as unknown }]
        } catch {
          return []
        }
      })
      return message(...ends, ...whole, { type: 'finish-step' }, { type: 'finish', finishReason: FINISH[reason] })
    },
    usage: ({ prompt, completion }) =>
      message({
        type: 'message-metadata',
        messageMetadata: { usage: { inputTokens: prompt, outputTokens: completion } },
      }),
    error: ({ message: errorText }, beside) =>
      beside === undefined ? message({ type: 'error', errorText }) : undefined,
    keepAlive: () => ': keep-alive\n\n',
    done: () => 'data: [DONE]\n\n',
  }
}
