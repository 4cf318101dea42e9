/** Turns the messages of a chat request into messages of a thread, one for one. */
import {
  anyJson,
  at,
  type ContentBlock,
  field,
  isObject,
  type JsonObject,
  type Message,
  nonEmptyString,
  object,
  optional,
  otherwise,
  own,
  type Read,
  refuse,
  refuseValue,
  string,
  type ToolUseBlock,
} from '@factwire/core'
import { freeInputOf, type Input, inputOf } from './arguments.ts'
import { thoughtSignatureOf } from './calls.ts'
import { contentBlocks, textBlocks } from './content.ts'
import { listOf } from './list.ts'
import { reasoning } from './reasoning.ts'

/** Their ids are made from their place. */
export const readMessages: Read<readonly Message[]> = (list, path) => {
  // The form before `tool_calls` has no ids: its result answers the call before it.
  let functionCall: string | undefined

  return anyList(list, path).map((value, index) => {
    const place = `${path}[${index}]`
    const from = object(value, place)
    const id = `message-${index}`
    const role = field(from, 'role', string, place)
    switch (role) {
      case 'system':
      case 'developer':
        return { id, role: 'system', content: field(from, 'content', textBlocks, place) }
      case 'user':
        return { id, role, content: field(from, 'content', contentBlocks, place) }
      case 'assistant': {
        const single = field(from, 'function_call', optional(called), place)
        functionCall = single && `call_${id}`
        const older = single && functionCall !== undefined ? [toolUse(functionCall, single)] : []
        const calls = field(from, 'tool_calls', otherwise(toolCalls, []), place).flat()
        return { id, role, content: [...said(from, place), ...calls, ...older] }
      }
      case 'tool':
        return result(id, field(from, 'tool_call_id', nonEmptyString, place), from, place)
      case 'function':
        return result(id, functionCall ?? refuse(place, 'a function_call before its result', undefined), from, place)
      default:
        return refuseValue(at(place, 'role'), 'system, developer, user, assistant, tool or function', role)
    }
  })
}

const anyList = listOf(anyJson)

/** Null is the result of a tool that returned nothing. */
function result(id: string, callId: string, from: JsonObject, path: string): Message {
  const content = field(from, 'content', otherwise(contentBlocks, []), path)
  return { id, role: 'tool', content: [{ type: 'tool_result', tool_use_id: callId, content, is_error: false }] }
}

/** What the assistant thought, then what it said. */
function said(from: JsonObject, path: string): readonly ContentBlock[] {
  const refusal = field(from, 'refusal', optional(string), path)
  return [
    ...thoughts(from, path),
    ...field(from, 'content', otherwise(textBlocks, []), path),
    ...(refusal === undefined || refusal === '' ? [] : [{ type: 'text' as const, text: refusal }]),
  ]
}

/** Clients that keep thoughts send them back under the name they came with, and their details beside them. */
function thoughts(from: JsonObject, path: string): readonly ContentBlock[] {
  const text =
    field(from, 'reasoning_content', optional(string), path) || field(from, 'reasoning', optional(string), path) || ''
  const thinking = reasoning()
  thinking.details(field(from, 'reasoning_details', otherwise(anyList, []), path), text)
  const signature = thoughtSignatureOf(own(from, 'extra_content'))
  if (signature !== '') thinking.sign(signature)
  return thinking.blocks()
}

interface Called {
  readonly name: string
  readonly input: Input
}

/** Text that is no JSON is kept: the model wrote it, and was told so. */
const jsonText: Read<Input> = (value, path) =>
  inputOf(isObject(value) ? JSON.stringify(value) : otherwise(string, '')(value, path))

const called: Read<Called> = (value, path) => {
  const from = object(value, path)
  return { name: field(from, 'name', nonEmptyString, path), input: field(from, 'arguments', jsonText, path) }
}

const calledCustom: Read<Called> = (value, path) => {
  const from = object(value, path)
  const input = freeInputOf(field(from, 'input', string, path))
  return { name: field(from, 'name', nonEmptyString, path), input }
}

const toolCalls = listOf((value, path): readonly ContentBlock[] => {
  const from = object(value, path)
  const id = field(from, 'id', nonEmptyString, path)
  const signature = thoughtSignatureOf(own(from, 'extra_content'))
  const isCustom = isObject(own(from, 'custom'))
  const call = isCustom ? field(from, 'custom', calledCustom, path) : field(from, 'function', called, path)
  const block = toolUse(id, call)
  return signature === '' ? [block] : [{ type: 'thinking', text: '', signature }, block]
})

function toolUse(id: string, { name, input: { input, raw_input } }: Called): ToolUseBlock {
  return { type: 'tool_use', id, name, input, ...(raw_input === undefined ? {} : { raw_input }) }
}
