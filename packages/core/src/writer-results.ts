/** What a tool gave, as the message of the thread that holds it. */
import type { ContentBlock } from './content.ts'
import type { Json } from './json.ts'
import type { Message } from './thread.ts'
import type { WriterCall } from './writer-calls.ts'

/** What became of a call, beside its content. `is_error` defaults to whether it was denied or cancelled. */
export interface ToolOutcome {
  readonly is_error?: boolean
  readonly data?: Json
  readonly denied?: boolean
  readonly cancelled?: boolean
}

export function toolMessage(
  call: WriterCall,
  content: string | readonly ContentBlock[],
  { is_error, data, denied, cancelled }: ToolOutcome,
): Message {
  return {
    id: `tool-${call.id}`,
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        tool_use_id: call.id,
        content: typeof content === 'string' ? textBlocks(content) : content,
        is_error: is_error ?? (denied === true || cancelled === true),
        ...(data === undefined ? {} : { data }),
        ...(denied === undefined ? {} : { denied }),
        ...(cancelled === undefined ? {} : { cancelled }),
      },
    ],
  }
}

/** A tool that says nothing has an empty result, not an empty text: some model providers refuse that. */
function textBlocks(text: string): readonly ContentBlock[] {
  return text === '' ? [] : [{ type: 'text', text }]
}
