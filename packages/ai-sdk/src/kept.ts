/** UI messages as the messages of a thread, for a server that keeps none: the body is all there is of it. */
import { type ContentBlock, type Message, none, type ToolResultBlock } from '@factwire/core'
import { blocksIn } from './blocks.ts'
import { blockOf } from './files.ts'
import { contentOf, errorOf, resultOf } from './output.ts'
import type { CallPart, ReadMessage, ReadPart } from './read-message.ts'

/** Each step is a message, with the results of its calls behind it. */
export function storedMessages(messages: readonly ReadMessage[]): readonly Message[] {
  const last = messages.at(-1)
  return messages.flatMap((message): readonly Message[] => {
    if (message.role !== 'assistant') return fileMessage(message)
    return stepsOf(message.parts).flatMap((parts, step) =>
      // What nobody answered while it could be answered has no result any more, and a model wants one.
      stepMessages(`${message.id}-${step}`, parts, message === last),
    )
  })
}

/** What somebody said or sent; nothing where it says nothing. */
export function fileMessage({ id, role, parts }: ReadMessage): readonly Message[] {
  const content = parts.flatMap((part): readonly ContentBlock[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    return part.type === 'file' && role === 'user' ? [blockOf(part)] : []
  })
  return content.length === 0 ? [] : [{ id, role, content }]
}

function stepsOf(parts: readonly ReadPart[]): readonly (readonly ReadPart[])[] {
  const steps: ReadPart[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  return steps.filter((step) => step.length > 0)
}

function stepMessages(id: string, parts: readonly ReadPart[], waits: boolean): readonly Message[] {
  const content = parts.flatMap(blocksOf)
  const results = parts.flatMap((part): readonly Message[] => {
    const block = part.type === 'call' ? resultBlock(part, waits) : undefined
    return block ? [{ id: `tool-${block.tool_use_id}`, role: 'tool', content: [block] }] : []
  })
  return content.length === 0 ? [] : [{ id, role: 'assistant', content }, ...results]
}

function blocksOf(part: ReadPart): readonly ContentBlock[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? none : [{ type: 'text', text: part.text }]
    case 'reasoning':
      return part.text === '' ? none : [{ type: 'thinking', text: part.text }]
    case 'call': {
      // Nobody knows what a call was to be whose arguments had not come to their end.
      if (part.state === 'input-streaming' || isGivenUp(part)) return none
      const { toolCallId: id, toolName: name, input, rawInput } = part
      const raw = typeof rawInput === 'string' ? { raw_input: rawInput } : {}
      return [{ type: 'tool_use', id, name, input: input ?? null, ...(input === undefined ? raw : {}) }]
    }
    default:
      return none
  }
}

const isGivenUp = ({ callProviderMetadata }: CallPart): boolean =>
  callProviderMetadata?.['factwire']?.['given_up'] === true

function resultBlock(part: CallPart, waits: boolean): ToolResultBlock | undefined {
  const { toolCallId, state, output = null, errorText = '', resultProviderMetadata, approval } = part
  const metadata = resultProviderMetadata?.['factwire']
  if (isGivenUp(part)) return undefined
  switch (state) {
    case 'input-streaming':
      return undefined
    case 'output-available':
      return resultOf(toolCallId, output, metadata, blocksIn)
    case 'output-error':
      return errorOf(toolCallId, errorText, metadata, blocksIn)
    case 'output-denied':
      return { ...errorOf(toolCallId, approval?.reason ?? '', undefined, blocksIn), denied: true }
    default: {
      if (waits) return undefined
      const content = contentOf('No result: the conversation went on without it.')
      return { type: 'tool_result', tool_use_id: toolCallId, content, is_error: true }
    }
  }
}
