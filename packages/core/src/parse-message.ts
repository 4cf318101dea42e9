/**
 * Stored messages of a thread in, `Message`s out.
 *
 * Takes what Awaken stored over time: roles in any case, text as a bare string, calls and the id of the answered call beside the
 * content.
 */
import type { ContentBlock, ToolUseBlock } from './content.ts'
import { storedContent } from './read-content.ts'
import { isObject } from './json.ts'
import {
  arrayOf,
  field,
  object,
  oneOf,
  optional,
  otherwise,
  json,
  own,
  type Read,
  record,
  string,
} from './read-value.ts'
import type { Message, Role } from './thread.ts'
import { uniqueIds } from './writer-ids.ts'

/**
 * Reads one stored message.
 *
 * @throws FactwireError `invalid_value`, with the path in the message.
 */
export function parseMessage(value: unknown): Message {
  return readMessage(value, '')
}

/**
 * Reads a stored thread, an array of messages. One without an id gets one from its place, `message-0`, or
 * `message-0-2` where another message has that.
 *
 * @throws FactwireError `invalid_value`, with the path in the array.
 */
export function parseMessages(value: unknown): readonly Message[] {
  const ids = uniqueIds(Array.isArray(value) ? value.flatMap(idOf) : [])
  let index = 0
  return arrayOf((element, path) => {
    const place = index++
    return readMessage(element, path, () => ids.unique(`message-${place}`))
  })(value, 'messages')
}

function idOf(value: unknown): string[] {
  const id = isObject(value) ? own(value, 'id') : undefined
  return typeof id === 'string' ? [id] : []
}

const role: Read<Role> = (value, path) =>
  oneOf<Role>('system', 'user', 'assistant', 'tool')(typeof value === 'string' ? value.toLowerCase() : value, path)

const calls = arrayOf(record({ id: string, name: string, arguments: otherwise(json, null) }))

function readMessage(value: unknown, path: string, spareId?: () => string): Message {
  const from = object(value, path)
  const content = field(from, 'content', storedContent, path)
  const toolCalls = field(from, 'tool_calls', optional(calls), path) ?? []
  const answered = field(from, 'tool_call_id', optional(string), path)
  return {
    id: spareId ? (field(from, 'id', optional(string), path) ?? spareId()) : field(from, 'id', string, path),
    role: field(from, 'role', role, path),
    content:
      answered === undefined
        ? [...content, ...toolCalls.filter(isNotIn(content)).map(toolUse)]
        : result(answered, content),
  }
}

type StoredCall = ReturnType<typeof calls>[number]

/** Some stores kept a call twice, in the content and beside it. */
function isNotIn(content: readonly ContentBlock[]): (call: StoredCall) => boolean {
  return (call) => !content.some((block) => block.type === 'tool_use' && block.id === call.id)
}

function toolUse({ id, name, arguments: input }: StoredCall): ToolUseBlock {
  return { type: 'tool_use', id, name, input }
}

/** The older page's tool message is the result; ours holds results. */
function result(callId: string, content: readonly ContentBlock[]): readonly ContentBlock[] {
  if (content.some((block) => block.type === 'tool_result')) return content
  return [{ type: 'tool_result', tool_use_id: callId, content, is_error: false }]
}
