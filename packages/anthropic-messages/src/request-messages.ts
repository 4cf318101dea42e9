/**
 * Turns the messages of a request into messages of a thread: results are messages of the tools, and what stands behind a result of a
 * server's call is another message of the assistant.
 */
import {
  anyJson,
  arrayOf,
  at,
  boolean,
  type ContentBlock,
  field,
  type JsonObject,
  type Message,
  nonEmptyString,
  object,
  otherwise,
  own,
  type Read,
  refuse,
  refuseValue,
  string,
  type ThinkingBlock,
  type ToolResultBlock,
} from '@factwire/core'
import { contentBlock } from './request-content.ts'
import { isResultType, resultBlock } from './read-result.ts'

/** More is an attack or a mistake. */
const MOST = 10_000

const listOf = <Value>(read: Read<Value>): Read<readonly Value[]> => arrayOf(read, MOST)

/** Their ids are made from their place. */
export const readMessages: Read<readonly Message[]> = (list, path) =>
  messageList(list, path).flatMap((from, index) => {
    const place = `${path}[${index}]`
    const role = field(from, 'role', string, place)
    const id = `message-${index}`
    switch (role) {
      case 'user':
        return parted(id, 'user', field(from, 'content', userBlocks, place))
      case 'assistant':
        return parted(id, 'assistant', field(from, 'content', assistantBlocks, place))
      case 'system':
        return [{ id, role, content: field(from, 'content', textBlocks, place) }]
      default:
        return refuseValue(at(place, 'role'), 'user, assistant or system', role)
    }
  })

const messageList = listOf(object)

/** One message of the wire, as those of a thread that it stands for. */
function parted(id: string, role: 'user' | 'assistant', blocks: readonly ContentBlock[]): readonly Message[] {
  const messages: Message[] = []
  for (const block of blocks) {
    const own = block.type === 'tool_result' ? 'tool' : role
    const last = messages.at(-1)
    if (last?.role === own) messages[messages.length - 1] = { ...last, content: [...last.content, block] }
    else messages.push({ id: messages.length === 0 ? id : `${id}-${messages.length + 1}`, role: own, content: [block] })
  }
  return messages
}

/** A string is one text, an empty one none. */
function blocksOf(read: Read<readonly ContentBlock[]>): Read<readonly ContentBlock[]> {
  const all = listOf(read)
  return (value, path) => {
    if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
    return Array.isArray(value) ? all(value, path).flat() : refuse(path, 'a string or an array of blocks', value)
  }
}

const contentBlocks = blocksOf((value, path) => [contentBlock(object(value, path), path)])

export const textBlocks: Read<readonly ContentBlock[]> = blocksOf((value, path) => {
  const block = contentBlock(object(value, path), path)
  return block.type === 'text' ? [block] : refuseValue(path, 'a block of text', block.type)
})

const userBlocks = blocksOf((value, path) => {
  const from = object(value, path)
  return [own(from, 'type') === 'tool_result' ? toolResult(from, path) : contentBlock(from, path)]
})

/** A tool that returned nothing has no content. */
function toolResult(from: JsonObject, path: string): ToolResultBlock {
  return {
    type: 'tool_result',
    tool_use_id: field(from, 'tool_use_id', nonEmptyString, path),
    content: field(from, 'content', otherwise(contentBlocks, []), path),
    is_error: field(from, 'is_error', otherwise(boolean, false), path),
  }
}

/** Clients send back what they got. What is not known here is left out. */
const assistantBlocks = blocksOf((value, path): readonly ContentBlock[] => {
  const from = object(value, path)
  const type = field(from, 'type', string, path)
  switch (type) {
    case 'text': {
      const text = field(from, 'text', string, path)
      return text === '' ? [] : [{ type, text }]
    }
    case 'thinking':
      return thoughts(field(from, 'thinking', string, path), field(from, 'signature', otherwise(string, ''), path))
    case 'redacted_thinking':
      return [{ type: 'thinking', text: '', encrypted: field(from, 'data', string, path) }]
    case 'tool_use':
    case 'mcp_tool_use':
    case 'server_tool_use': {
      const id = field(from, 'id', nonEmptyString, path)
      const name = field(from, 'name', nonEmptyString, path)
      return [{ type: 'tool_use', id, name, input: field(from, 'input', anyJson, path) }]
    }
    default:
      return isResultType(type) ? [resultBlock(field(from, 'tool_use_id', nonEmptyString, path), from)] : []
  }
})

function thoughts(text: string, signature: string): readonly ThinkingBlock[] {
  if (text === '' && signature === '') return []
  return [{ type: 'thinking', text, ...(signature === '' ? {} : { signature }) }]
}
