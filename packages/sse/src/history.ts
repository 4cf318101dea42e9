/** The committed thread as `messages_snapshot` carries it: calls beside the content, one message a result. */
import {
  type Committed,
  type ContentBlock,
  type Message,
  type ToolResultBlock,
  foldHistory,
  textOf,
} from '@factwire/core'
import type { FlatBlock, FlatMessage } from './wire.ts'

export function history({ messages }: Pick<Committed, 'messages'>): readonly FlatMessage[] {
  const shaped: FlatMessage[] = []
  foldHistory(messages, {
    system: (message) => shaped.push(plain(message)),
    user: (message) => shaped.push(plain(message)),
    media: (message) => shaped.push(plain(message)),
    assistant: (message) => shaped.push(assistant(message)),
    toolResult: (result, messageId, index) =>
      shaped.push(tool(result, index === 0 ? messageId : `${messageId}-${index}`)),
  })
  return shaped
}

function plain({ id, role, content }: Message): FlatMessage {
  return { id, role, content: content.map(block) }
}

function assistant({ id, role, content }: Message): FlatMessage {
  const calls = content.filter((part) => part.type === 'tool_use')
  return {
    id,
    role,
    content: content.filter((part) => part.type !== 'tool_use').map(block),
    ...(calls.length > 0 ? { tool_calls: calls.map(({ id, name, input }) => ({ id, name, arguments: input })) } : {}),
  }
}

function tool({ tool_use_id, content, is_error, data, denied, cancelled }: ToolResultBlock, id: string): FlatMessage {
  return {
    id,
    role: 'tool',
    content: content.map(block),
    tool_call_id: tool_use_id,
    ...(is_error ? { is_error } : {}),
    ...(data === undefined || data === null || data === textOf(content) ? {} : { data }),
    ...(denied ? { denied } : {}),
    ...(cancelled ? { cancelled } : {}),
  }
}

/** The older page keeps a thought under `thinking`; every other block looks the same. */
function block(part: ContentBlock): FlatBlock {
  return part.type === 'thinking' ? { type: 'thinking', thinking: part.text } : part
}
