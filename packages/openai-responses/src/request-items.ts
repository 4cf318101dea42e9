/** Turns the input of a request into messages of a thread, and into what was said to calls that wait. */
import {
  anyJson,
  boolean,
  type ContentBlock,
  field,
  type JsonObject,
  type Message,
  nonEmptyString,
  object,
  optional,
  otherwise,
  type Read,
  refuse,
  refuseValue,
  string,
  type ToolResultBlock,
  type ToolUseBlock,
} from '@factwire/core'
import { callKind, inputOf } from './called.ts'
import { contentBlocks } from './content.ts'
import { listOf } from './list.ts'

export interface Input {
  readonly messages: readonly InputMessage[]
  readonly approvals: readonly Approval[]
}

export interface InputMessage {
  readonly message: Message
  /** Its id is the client's; else it is made from its place. */
  readonly named: boolean
}

export interface Approval {
  readonly request: string
  readonly approve: boolean
  readonly reason: string | undefined
}

/** A text is what the user says. */
export const readInput: Read<Input> = (value, path) => {
  if (typeof value !== 'string' && !Array.isArray(value)) return refuse(path, 'a string or an array of items', value)
  if (typeof value === 'string') {
    const content: readonly ContentBlock[] = value === '' ? [] : [{ type: 'text', text: value }]
    return { messages: [{ message: { id: 'message-0', role: 'user', content }, named: false }], approvals: [] }
  }
  const messages: InputMessage[] = []
  const approvals: Approval[] = []
  items(value, path).forEach((item, index) => {
    const place = `${path}[${index}]`
    const approval = approvalIn(item, place)
    if (approval) approvals.push(approval)
    else for (const read of messagesIn(item, index, place)) join(messages, read)
  })
  return { messages, approvals }
}

const items: Read<readonly JsonObject[]> = (value, path) =>
  anyList(value, path).map((item, index) => object(item, `${path}[${index}]`))
const anyList = listOf(anyJson)

function approvalIn(item: JsonObject, path: string): Approval | undefined {
  if (typeOf(item, path) !== 'mcp_approval_response') return undefined
  return {
    request: field(item, 'approval_request_id', nonEmptyString, path),
    approve: field(item, 'approve', boolean, path),
    reason: field(item, 'reason', optional(string), path),
  }
}

/** A message may leave its type out. */
const typeOf = (item: JsonObject, path: string): string => field(item, 'type', otherwise(string, 'message'), path)

function messagesIn(item: JsonObject, index: number, path: string): readonly InputMessage[] {
  const given = field(item, 'id', optional(string), path)
  const id = given === undefined || given === '' ? `message-${index}` : given
  const named = id === given
  const type = typeOf(item, path)
  const said = (role: Message['role'], content: readonly ContentBlock[]): readonly InputMessage[] =>
    content.length === 0 ? [] : [{ message: { id, role, content }, named }]
  switch (type) {
    case 'message':
      return said(roleOf(item, path), field(item, 'content', contentBlocks, path))
    case 'reasoning':
      return said('assistant', [thought(item, id, path)])
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const content = field(item, 'output', contentBlocks, path)
      return said('tool', [result(field(item, 'call_id', nonEmptyString, path), content)])
    }
    case 'function_call':
    case 'custom_tool_call':
      return said('assistant', [toolUse(type, item, field(item, 'call_id', nonEmptyString, path), path)])
    case 'mcp_call': {
      const call = toolUse(type, item, id, path)
      const outcome = callKind(type)?.resultOf?.(item)
      const answer = result(id, outcome?.content ?? [], outcome?.is_error)
      return [...said('assistant', [call]), { message: { id: `tool-${id}`, role: 'tool', content: [answer] }, named }]
    }
    default:
      // References, questions and what a provider runs by itself are the server's own to know.
      return []
  }
}

function roleOf(item: JsonObject, path: string): Message['role'] {
  const role = field(item, 'role', string, path)
  switch (role) {
    case 'system':
    case 'developer':
      return 'system'
    case 'user':
    case 'assistant':
      return role
    default:
      return refuseValue(`${path}.role`, 'system, developer, user or assistant', role)
  }
}

function thought(item: JsonObject, id: string, path: string): ContentBlock {
  const texts = [
    ...field(item, 'summary', otherwise(listOf(part), []), path),
    ...field(item, 'content', otherwise(listOf(part), []), path),
  ]
  const encrypted = field(item, 'encrypted_content', optional(string), path)
  return {
    type: 'thinking',
    text: texts.join('\n\n'),
    ...(encrypted === undefined ? {} : { signature: id, encrypted }),
  }
}

const part: Read<string> = (value, path) => field(object(value, path), 'text', otherwise(string, ''), path)

function toolUse(type: string, item: JsonObject, id: string, path: string): ToolUseBlock {
  const free = type === 'custom_tool_call'
  const { input, raw_input } = inputOf(field(item, free ? 'input' : 'arguments', otherwise(string, ''), path), free)
  const name = field(item, 'name', nonEmptyString, path)
  return { type: 'tool_use', id, name, input, ...(raw_input === undefined ? {} : { raw_input }) }
}

const result = (tool_use_id: string, content: readonly ContentBlock[], is_error = false): ToolResultBlock => ({
  type: 'tool_result',
  tool_use_id,
  content,
  is_error,
})

/** Items of the assistant that follow one another are one message, until it says something again. */
function join(messages: InputMessage[], next: InputMessage): void {
  const last = messages.at(-1)
  const says = next.message.content.some(({ type }) => type === 'text' || type === 'thinking')
  if (last?.message.role !== 'assistant' || next.message.role !== 'assistant') return void messages.push(next)
  const onlyThought = last.message.content.every(({ type }) => type === 'thinking')
  if (says && !onlyThought) return void messages.push(next)
  const named = says ? next : last
  const content = [...last.message.content, ...next.message.content]
  messages[messages.length - 1] = { message: { ...named.message, content }, named: named.named }
}
