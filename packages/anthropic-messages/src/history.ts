/**
 * Turns the committed thread into what a request says of it: the system's words apart, roles that alternate, and the results of a turn
 * together, before whatever else the user says.
 *
 * Thoughts go back with the signature that they came with; one without is left out, because the provider refuses it. Calls of whoever
 * runs them are calls, with their results.
 */
import {
  type Committed,
  type ContentBlock,
  foldHistory,
  isJsonObject,
  type Message,
  textOf,
  type ToolResultBlock,
} from '@factwire/core'
import { contentParams, texts } from './content.ts'
import type { AssistantBlock, MessageParam, MessagesThread, ToolResultParam, UserBlock } from './param.ts'

export function history({ messages }: Pick<Committed, 'messages'>): MessagesThread {
  const system: string[] = []
  const shaped: MessageParam[] = []

  function user(blocks: UserBlock[]): void {
    const last = shaped.at(-1)
    if (last?.role === 'user') last.content.push(...blocks)
    else if (blocks.length > 0) shaped.push({ role: 'user', content: blocks })
  }

  /** The wire wants results first. */
  function result(block: ToolResultParam): void {
    const last = shaped.at(-1)
    if (last?.role !== 'user') return user([block])
    const at = last.content.findIndex(({ type }) => type !== 'tool_result')
    last.content.splice(at === -1 ? last.content.length : at, 0, block)
  }

  const said = ({ content }: Message): void => user(contentParams(content))

  foldHistory(messages, {
    system: ({ content }) => system.push(textOf(content)),
    user: said,
    // A model is to see what it was sent.
    media: said,
    assistant({ content }) {
      const blocks = content.flatMap(assistantBlocks)
      const last = shaped.at(-1)
      if (last?.role === 'assistant') last.content.push(...blocks)
      else if (blocks.length > 0) shaped.push({ role: 'assistant', content: blocks })
    },
    toolResult: (block) => result(resultParam(block)),
  })
  return { ...(system.length === 0 ? {} : { system: system.join('\n\n') }), messages: shaped }
}

function assistantBlocks(block: ContentBlock): AssistantBlock[] {
  switch (block.type) {
    case 'text':
      return texts(block.text)
    case 'thinking': {
      const { text, signature, encrypted } = block
      return [
        ...(signature === undefined ? [] : [{ type: 'thinking', thinking: text, signature } as const]),
        ...(encrypted === undefined ? [] : [{ type: 'redacted_thinking', data: encrypted } as const]),
      ]
    }
    case 'tool_use': {
      // Arguments are an object here, or none.
      const input = isJsonObject(block.input) ? block.input : {}
      return [{ type: 'tool_use', id: idOf(block.id), name: block.name, input }]
    }
    default:
      return []
  }
}

/** One that says nothing of an error says at least that. */
function resultParam({ tool_use_id, content, data, is_error, denied, cancelled }: ToolResultBlock): ToolResultParam {
  const failed = is_error || denied === true || cancelled === true
  const said = contentParams(content)
  const value = data === undefined || data === null ? '' : JSON.stringify(data)
  const silent = denied ? 'The call was denied.' : cancelled ? 'The call was cancelled.' : 'The call failed.'
  return {
    type: 'tool_result',
    tool_use_id: idOf(tool_use_id),
    content: said.length > 0 ? said : texts(value || (failed ? silent : '')),
    ...(failed ? { is_error: true } : {}),
  }
}

/** Calls of other wires may have ids that this one refuses. */
const idOf = (id: string): string => id.replace(/[^\w-]/g, '_')
