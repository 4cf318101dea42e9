/** Messages as people write them by hand: a role, and a text or content blocks. */
import {
  type ContentBlock,
  field,
  type Message,
  nonEmptyString,
  object,
  oneOf,
  optional,
  own,
  parseMessage,
  arrayOf,
  type Read,
  refuse,
} from '@factwire/core'
import { idFrom } from './ids.ts'

const role = oneOf('user', 'system', 'assistant')

/** `id` gives the id of a message that brings none, by its place. */
export function messagesIn(most: number, id: (index: number) => string): Read<readonly Message[]> {
  let index = 0
  const message: Read<Message> = (value, path) => {
    const from = object(value, path)
    const own = field(from, 'id', optional(nonEmptyString), path)
    const given = own === undefined ? id(index) : idFrom(own, `${path}.id`)
    index++
    return { id: given, role: field(from, 'role', role, path), content: contentOf(from, path) }
  }
  return (value, path) => {
    index = 0
    const found = arrayOf(message, most)(value, path)
    return found.length === 0 ? refuse(path, 'at least one message', value) : found
  }
}

function contentOf(from: { readonly [key: string]: unknown }, path: string): readonly ContentBlock[] {
  const content = own(from, 'content')
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return refuse(`${path}.content`, 'a text or content blocks', content)
  const blocks = parseMessage({ id: 'content', role: 'user', content }).content
  const isOwn = ({ type }: ContentBlock): boolean => type === 'tool_use' || type === 'tool_result'
  return blocks.some(isOwn) ? refuse(`${path}.content`, 'no calls and no results', content) : blocks
}
