/**
 * Turns the committed thread into the messages of a chat request: calls beside the text, one message a result.
 *
 * Providers want every call answered before anything else follows. A committed thread has those results, because a run that ends
 * commits them; nothing is invented here for one that has not.
 */
import {
  type Committed,
  type ContentBlock,
  type Message,
  type ToolResultBlock,
  argumentsOf,
  foldHistory,
  textOf,
} from '@factwire/core'
import { contentOf, textWithMedia } from './content.ts'
import type {
  ChatAssistantMessage,
  ChatMessage,
  ChatMessageCall,
  ChatReasoningBlock,
  ChatSignature,
  ChatToolMessage,
} from './wire.ts'

export interface HistoryOptions {
  /**
   * The field in which thoughts go back to the provider that had them; `reasoning_details` carries signatures and what is encrypted
   * too. Default false: most providers refuse or ignore them.
   */
  readonly reasoning?: false | 'reasoning_content' | 'reasoning' | 'reasoning_details'
  /** Whether Gemini gets its signatures of calls and messages back, which it demands. Default false. */
  readonly thoughtSignatures?: boolean
}

export function history({ messages }: Pick<Committed, 'messages'>, options: HistoryOptions = {}): ChatMessage[] {
  const shaped: ChatMessage[] = []
  const user = ({ content }: Message): number => shaped.push({ role: 'user', content: contentOf(content) })
  foldHistory(messages, {
    system: ({ content }) => shaped.push({ role: 'system', content: textOf(content) }),
    user,
    // A model is to see what it was sent.
    media: user,
    assistant: (message) => shaped.push(assistantMessage(message, options)),
    toolResult: (result) => shaped.push(toolMessage(result)),
  })
  return shaped
}

function assistantMessage(
  { content }: Message,
  { reasoning = false, thoughtSignatures = false }: HistoryOptions,
): ChatAssistantMessage {
  const text = textOf(content)
  const { thoughts, calls, signature } = partsOf(content, thoughtSignatures)
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...reasoningOf(thoughts, reasoning),
    ...(signature === undefined ? {} : { extra_content: signatureOf(signature) }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

type Thought = Extract<ContentBlock, { readonly type: 'thinking' }>

interface Parts {
  readonly thoughts: readonly Thought[]
  readonly calls: ChatMessageCall[]
  /** Of the message. */
  readonly signature: string | undefined
}

/** A signature of a call is a thought without text that stands right before it. */
function partsOf(content: readonly ContentBlock[], signed: boolean): Parts {
  const thoughts: Thought[] = []
  const calls: ChatMessageCall[] = []
  for (const [index, block] of content.entries()) {
    if (block.type === 'thinking') thoughts.push(block)
    if (block.type !== 'tool_use') continue
    const before = content[index - 1]
    const seal = signed && before?.type === 'thinking' && before.text === '' ? before.signature : undefined
    if (seal !== undefined) thoughts.pop()
    calls.push({
      id: block.id,
      type: 'function',
      function: { name: block.name, arguments: argumentsOf(block) },
      ...(seal === undefined ? {} : { extra_content: signatureOf(seal) }),
    })
  }
  const signature = signed ? thoughts.findLast((thought) => thought.signature !== undefined)?.signature : undefined
  return { thoughts, calls, signature }
}

const signatureOf = (signature: string): ChatSignature => ({ google: { thought_signature: signature } })

function reasoningOf(
  thoughts: readonly Thought[],
  field: HistoryOptions['reasoning'],
): Pick<ChatAssistantMessage, 'reasoning_content' | 'reasoning' | 'reasoning_details'> {
  const text = thoughts.map((thought) => thought.text).join('')
  switch (field) {
    case 'reasoning_content':
      return text === '' ? {} : { reasoning_content: text }
    case 'reasoning':
      return text === '' ? {} : { reasoning: text }
    case 'reasoning_details':
      return thoughts.length === 0 ? {} : { reasoning_details: thoughts.flatMap(detailsOf) }
    case false:
    case undefined:
      return {}
  }
}

function detailsOf({ text, signature, encrypted }: Thought, index: number): ChatReasoningBlock[] {
  const details: ChatReasoningBlock[] = []
  if (text !== '' || signature !== undefined) {
    details.push({ type: 'reasoning.text', index, text, ...(signature === undefined ? {} : { signature }) })
  }
  if (encrypted !== undefined) details.push({ type: 'reasoning.encrypted', index, data: encrypted })
  return details
}

/** The wire has no field for an error, so one that says nothing says at least that. */
function toolMessage({ tool_use_id, content, data, is_error, denied, cancelled }: ToolResultBlock): ChatToolMessage {
  const said = textWithMedia(content) || (data === undefined || data === null ? '' : JSON.stringify(data))
  const silent = denied ? 'The call was denied.' : cancelled ? 'The call was cancelled.' : 'The call failed.'
  return {
    role: 'tool',
    tool_call_id: tool_use_id,
    content: said === '' && (is_error || denied || cancelled) ? silent : said,
  }
}
