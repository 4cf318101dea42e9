/** The AI SDK's client side: chunks to the message that a page shows. */
import { readUIMessageStream, type UIMessageChunk } from 'ai-7'
import type { Contender } from '../contender.ts'
import type { Workload } from '../workload.ts'

/** The arguments of the call of a run. */
export function aiSdkReader({ events }: Workload): Contender {
  const toolCallId = 'call-1'
  const chunks: UIMessageChunk[] = [
    { type: 'start', messageId: 'message-1' },
    { type: 'start-step' },
    { type: 'tool-input-start', toolCallId, toolName: 'edit_file', dynamic: true },
  ]
  for (const { event } of events) {
    if (event.type === 'tool_call_delta') {
      chunks.push({ type: 'tool-input-delta', toolCallId, inputTextDelta: event.args_delta })
    }
  }
  chunks.push({ type: 'finish-step' }, { type: 'finish' })
  return {
    name: 'ai 7 readUIMessageStream',
    async run(take) {
      const stream = new ReadableStream<UIMessageChunk>({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk)
          controller.close()
        },
      })
      for await (const { parts } of readUIMessageStream({ stream })) take(parts.at(-1)?.type ?? '')
    },
  }
}
