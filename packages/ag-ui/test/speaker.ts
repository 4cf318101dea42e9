/** An agent that speaks AG-UI, for the torture of a decoder. */
import type { Speaker } from '@factwire/conformance'
import type { AgUiEvent } from '../src/wire.ts'

const RUN = { threadId: 'thread-1', runId: 'run-1' }
const messageId = 'message-1'

export function speaker(): Speaker {
  let speaking = false
  const calls = new Map<string, number>()
  const message = (...events: readonly AgUiEvent[]): string =>
    events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

  return {
    finishEnds: true,
    start: () => message({ type: 'RUN_STARTED', ...RUN }),
    text(delta) {
      const begin: AgUiEvent[] = speaking ? [] : [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }]
      speaking = true
      return message(...begin, { type: 'TEXT_MESSAGE_CONTENT', messageId, delta })
    },
    call({ index, id, name }) {
      // Calls are told apart by their ids alone.
      if (id === undefined || (calls.get(id) ?? index) !== index) return undefined
      calls.set(id, index)
      return message({ type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name, parentMessageId: messageId })
    },
    args: ({ id }, delta) =>
      id === undefined ? undefined : message({ type: 'TOOL_CALL_ARGS', toolCallId: id, delta }),
    finish(reason) {
      // The run waits for calls that it names, and has no word for an answer that was too long.
      if (reason === 'length' || (reason === 'calls' && calls.size === 0)) return undefined
      const ids = [...calls.keys()]
      const ends: AgUiEvent[] = [
        ...(speaking ? [{ type: 'TEXT_MESSAGE_END', messageId } as const] : []),
        ...ids.map((toolCallId) => ({ type: 'TOOL_CALL_END', toolCallId }) as const),
      ]
      speaking = false
      const outcome = reason === 'calls' ? { outcome: { type: 'success', pendingToolCallIds: ids } as const } : {}
      return message(...ends, { type: 'RUN_FINISHED', ...RUN, ...outcome })
    },
    // It is told with the end, and for each model.
    usage: () => undefined,
    error: ({ code, message: text }, beside) =>
      beside === undefined ? message({ type: 'RUN_ERROR', code, message: text }) : undefined,
    keepAlive: () => ': keep-alive\n\n',
    done: () => undefined,
  }
}
