/** Turns the messages of a chat request into messages of a thread, one for one. */
import { type ContentBlock, type Message, type ToolUseBlock, isObject } from '@factwire/core'
import { freeInputOf, type Input, inputOf } from './arguments.ts'
import { thoughtSignatureOf } from './calls.ts'
import { blocksOf, textBlocksOf } from './content.ts'
import {
  absent,
  at,
  nameAt,
  objectAt,
  optionalArray,
  optionalString,
  own,
  refuse,
  stringAt,
  type Unread,
} from './field.ts'
import { reasoning } from './reasoning.ts'

export function readMessages(values: readonly unknown[], path: string): readonly Message[] {
  // The form before `tool_calls` has no ids: its result answers the call before it.
  let functionCall: string | undefined

  return values.map((value, index) => {
    const place = `${path}[${index}]`
    const from = objectAt(value, place)
    const id = `message-${index}`
    const content = own(from, 'content')
    const inContent = at(place, 'content')
    const role = stringAt(from, 'role', place)
    switch (role) {
      case 'system':
      case 'developer':
        return { id, role: 'system', content: textBlocksOf(content, inContent) }
      case 'user':
        return { id, role, content: blocksOf(content, inContent) }
      case 'assistant': {
        const single = own(from, 'function_call')
        functionCall = absent(single) ? undefined : `call_${id}`
        return { id, role, content: [...said(from, place), ...calls(from, place, functionCall)] }
      }
      case 'tool':
        return result(id, nameAt(from, 'tool_call_id', place), content, inContent)
      case 'function':
        return result(id, functionCall ?? refuse(place, 'a function_call before its result'), content, inContent)
      default:
        return refuse(at(place, 'role'), 'system, developer, user, assistant, tool or function')
    }
  })
}

/** Null is the result of a tool that returned nothing. */
function result(id: string, callId: string, content: unknown, path: string): Message {
  const blocks = absent(content) ? [] : blocksOf(content, path)
  return { id, role: 'tool', content: [{ type: 'tool_result', tool_use_id: callId, content: blocks, is_error: false }] }
}

/** What the assistant thought, then what it said. */
function said(from: Unread, path: string): readonly ContentBlock[] {
  const content = own(from, 'content')
  const refusal = optionalString(from, 'refusal', path)
  return [
    ...thoughts(from, path),
    ...(absent(content) ? [] : textBlocksOf(content, at(path, 'content'))),
    ...(refusal === undefined || refusal === '' ? [] : [{ type: 'text' as const, text: refusal }]),
  ]
}

/** Clients that keep thoughts send them back under the name they came with, and their details beside them. */
function thoughts(from: Unread, path: string): readonly ContentBlock[] {
  const text = optionalString(from, 'reasoning_content', path) || optionalString(from, 'reasoning', path) || ''
  const thinking = reasoning()
  thinking.details(optionalArray(from, 'reasoning_details', path), text)
  const signature = thoughtSignatureOf(own(from, 'extra_content'))
  if (signature !== '') thinking.sign(signature)
  return thinking.blocks()
}

function calls(from: Unread, path: string, functionCall: string | undefined): readonly ContentBlock[] {
  const blocks = optionalArray(from, 'tool_calls', path).flatMap((value, index) =>
    call(value, `${at(path, 'tool_calls')}[${index}]`),
  )
  if (functionCall === undefined) return blocks
  const place = at(path, 'function_call')
  const single = objectAt(own(from, 'function_call'), place)
  return [...blocks, toolUse(functionCall, nameAt(single, 'name', place), inputAt(single, place))]
}

function call(value: unknown, path: string): readonly ContentBlock[] {
  const from = objectAt(value, path)
  const id = nameAt(from, 'id', path)
  const signature = thoughtSignatureOf(own(from, 'extra_content'))
  const custom = own(from, 'custom')
  const plain = own(from, 'function')
  const place = at(path, isObject(custom) ? 'custom' : 'function')
  const called = objectAt(isObject(custom) ? custom : plain, place)
  const input = isObject(custom) ? freeInputOf(stringAt(called, 'input', place)) : inputAt(called, place)
  const block = toolUse(id, nameAt(called, 'name', place), input)
  return signature === '' ? [block] : [{ type: 'thinking', text: '', signature }, block]
}

/** Text that is no JSON is kept: the model wrote it, and was told so. */
function inputAt(from: Unread, path: string): Input {
  const args = own(from, 'arguments')
  if (absent(args)) return inputOf('')
  return inputOf(isObject(args) ? JSON.stringify(args) : stringAt(from, 'arguments', path))
}

function toolUse(id: string, name: string, { input, raw_input }: Input): ToolUseBlock {
  return { type: 'tool_use', id, name, input, ...(raw_input === undefined ? {} : { raw_input }) }
}
