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
import { contentParams, joinedTexts, texts } from './content.ts'
import type { AssistantBlock, ContentParam, MessageParam, MessagesThread, ToolResultParam } from './param.ts'
import type { TextBlock } from './wire.ts'

export function history({ messages }: Pick<Committed, 'messages'>): MessagesThread {
  const system: string[] = []
  const turns: (UserTurn | AssistantTurn)[] = []

  function userTurn(): UserTurn {
    const last = turns.at(-1)
    if (last?.role === 'user') return last
    const next: UserTurn = { role: 'user', results: [], blocks: [] }
    turns.push(next)
    return next
  }

  function assistantTurn(): AssistantTurn {
    const last = turns.at(-1)
    if (last?.role === 'assistant') return last
    const next: AssistantTurn = { role: 'assistant', blocks: [] }
    turns.push(next)
    return next
  }

  function said({ content }: Message): void {
    const blocks = contentParams(content)
    if (saysSomething(blocks)) say(userTurn().blocks, blocks)
  }

  function answered({ content }: Message): void {
    const blocks = content.flatMap(assistantBlocks)
    if (saysSomething(blocks)) say(assistantTurn().blocks, blocks)
  }

  foldHistory(messages, {
    system: ({ content }) => system.push(textOf(content)),
    user: said,
    // A model is to see what it was sent.
    media: said,
    assistant: answered,
    toolResult: (block) => userTurn().results.push(resultParam(block)),
  })
  return {
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    messages: turns.map(messageParam),
  }
}

/** What one side says until the other does. */
interface UserTurn {
  readonly role: 'user'
  readonly results: ToolResultParam[]
  readonly blocks: ContentParam[]
}
interface AssistantTurn {
  readonly role: 'assistant'
  readonly blocks: AssistantBlock[]
}

/** A side that says nothing has no turn. */
const saysSomething = (blocks: readonly { readonly type: string }[]): boolean => joinedTexts(blocks).length > 0

/** With a blank line between the texts of two messages. */
function say<Block extends { readonly type: string }>(
  blocks: (Block | TextBlock)[],
  more: readonly (Block | TextBlock)[],
): void {
  const parts = blocks.at(-1)?.type === 'text' && more[0]?.type === 'text'
  blocks.push(...(parts ? texts('\n\n') : []), ...more)
}

/** The wire wants results first. */
function messageParam(turn: UserTurn | AssistantTurn): MessageParam {
  if (turn.role === 'assistant') return { role: turn.role, content: joinedTexts(turn.blocks) }
  return { role: turn.role, content: [...turn.results, ...joinedTexts(turn.blocks)] }
}

function assistantBlocks(block: ContentBlock): AssistantBlock[] {
  switch (block.type) {
    case 'text':
      return texts(block.text)
    case 'thinking': {
      const { text, signature, encrypted } = block
      // Of this provider a thought has one of the two. Another's seal would be refused.
      if (signature !== undefined && encrypted !== undefined) return []
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
  const said = joinedTexts(contentParams(content))
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
