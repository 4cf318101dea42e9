/** AG-UI messages as the messages of a thread. Activities are none; a thought belongs to the message that it led to. */
import {
  type ContentBlock,
  type Json,
  type Message,
  parseJson,
  type ThinkingBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from '@factwire/core'
import { blocksOf } from './content.ts'
import type { AgUiMessage, AssistantMessage, Content, Metadata, ReasoningMessage, ToolMessage } from './wire-message.ts'

/** In the order given. Thoughts that no assistant message follows are left out. */
export function storedMessages(messages: readonly AgUiMessage[]): readonly Message[] {
  const stored: Message[] = []
  let thoughts: readonly ThinkingBlock[] = []
  for (const message of messages) {
    if (message.role === 'reasoning') thoughts = [...thoughts, thinkingBlock(message)]
    const shaped = storedMessage(message, thoughts)
    if (!shaped) continue
    stored.push(shaped)
    thoughts = []
  }
  return stored
}

/** Undefined for thoughts and activities. */
export function storedMessage(message: AgUiMessage, thoughts: readonly ThinkingBlock[] = []): Message | undefined {
  switch (message.role) {
    case 'developer':
    case 'system':
      return { id: message.id, role: 'system', content: blocksOf(message.content) }
    case 'user':
      return { id: message.id, role: 'user', content: blocksOf(message.content) }
    case 'assistant':
      return { id: message.id, role: 'assistant', content: [...thoughts, ...assistantBlocks(message)] }
    case 'tool':
      return { id: message.id, role: 'tool', content: [resultOf(message)] }
    case 'reasoning':
    case 'activity':
      return undefined
  }
}

function assistantBlocks({ content = '', toolCalls = [] }: AssistantMessage): readonly ContentBlock[] {
  const calls = toolCalls.map((call) => callBlock(call.id, call.function.name, call.function.arguments))
  return [...blocksOf(content), ...calls]
}

export function thinkingBlock({
  content,
  encryptedValue,
  metadata,
}: Omit<ReasoningMessage, 'id' | 'role'>): ThinkingBlock {
  const signature = metadata?.factwire?.signature
  return {
    type: 'thinking',
    text: content,
    ...(signature === undefined ? {} : { signature }),
    ...(encryptedValue === undefined ? {} : { encrypted: encryptedValue }),
  }
}

/** No text at all is no arguments. Text that does not parse stays readable and has no input, so that nobody runs the call. */
export function callBlock(id: string, name: string, text: string): ToolUseBlock {
  const block = { type: 'tool_use', id, name } as const
  if (BLANK.test(text)) return { ...block, input: {}, ...(text === '' ? {} : { raw_input: text }) }
  const input = parsed(text)
  if (input === undefined) return { ...block, input: null, raw_input: text }
  return JSON.stringify(input) === text ? { ...block, input } : { ...block, input, raw_input: text }
}

export function parsed(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

export function resultOf({ toolCallId, content, error, metadata }: ToolMessage): ToolResultBlock {
  const result = resultBlock(toolCallId, content, metadata)
  if (error === undefined || error === '') return result
  return { ...result, is_error: true, ...(result.content.length === 0 ? { content: blocksOf(error) } : {}) }
}

export function resultBlock(callId: string, content: Content, metadata: Metadata | undefined): ToolResultBlock {
  const { is_error = false, data, denied, cancelled } = metadata?.factwire ?? {}
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: blocksOf(content),
    is_error,
    ...(data === undefined ? {} : { data }),
    ...(denied ? { denied } : {}),
    ...(cancelled ? { cancelled } : {}),
  }
}

/** White space, as JSON has it: it says as much as no arguments. */
const BLANK = /^[ \t\r\n]*$/
