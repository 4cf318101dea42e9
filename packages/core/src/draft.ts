/**
 * One assistant message while it is written: fragments in, numbered deltas and at last the message out.
 *
 * Nothing is cut or parsed before the end, so a fragment costs the same however long the message is.
 */
import type { ContentBlock, ToolUseBlock } from './content.ts'
import type { Disposition, ReasoningDelta, TextDelta, ToolCallDelta } from './event.ts'
import { type Fragments, fragments } from './fragments.ts'
import { type Json, type JsonLimits, parseJson } from './json.ts'
import type { Message } from './thread.ts'
import type { WriterCall } from './writer-calls.ts'

/** What a provider wants back with a thought, unread. */
export interface ThoughtSeal {
  readonly signature?: string
  readonly encrypted?: string
}

export interface Draft {
  readonly id: string
  calls(): readonly WriterCall[]
  text(fragment: string): TextDelta | undefined
  reasoning(fragment: string, seal?: ThoughtSeal): ReasoningDelta | undefined
  /** Opens a call, under an id that no other call of the thread has. */
  open(call: WriterCall, disposition?: Disposition): void
  /** The newest call that the provider gave this id. */
  newest(given: string): WriterCall | undefined
  /** The first delta of a call announces it and may be empty. */
  args(call: WriterCall, fragment: string): ToolCallDelta | undefined
  drop(call: WriterCall): void
  /** Undefined when nothing was written. */
  message(limits?: JsonLimits): Message | undefined
}

interface WrittenText {
  readonly type: 'text'
  text: string
}

interface WrittenCall {
  readonly type: 'call'
  readonly call: WriterCall
  readonly disposition: Disposition | undefined
  readonly fragments: Fragments
  args: string
  announced: boolean
}

export function draftMessage(id: string): Draft {
  const texts = fragments()
  const thoughts = fragments()
  const calls = new Map<WriterCall, WrittenCall>()
  const newest = new Map<string, WriterCall>()
  let parts: (WrittenText | WrittenCall)[] = []
  let thought = ''
  let seal: ThoughtSeal | undefined

  function write(text: string): void {
    const last = parts.at(-1)
    if (last?.type === 'text') last.text += text
    else parts.push({ type: 'text', text })
  }

  return {
    id,
    calls: () => [...calls.keys()],
    text(fragment) {
      const { text, offset } = texts.next(fragment)
      if (text === '') return undefined
      write(text)
      return { type: 'text_delta', delta: text, message_id: id, offset }
    },
    reasoning(fragment, given) {
      const { text, offset } = thoughts.next(fragment)
      thought += text
      if (given) seal = { ...seal, ...given }
      return text === '' ? undefined : { type: 'reasoning_delta', delta: text, message_id: id, offset }
    },
    open(call, disposition) {
      const written: WrittenCall = {
        type: 'call',
        call,
        disposition,
        fragments: fragments(),
        args: '',
        announced: false,
      }
      calls.set(call, written)
      newest.set(call.given, call)
      parts.push(written)
    },
    newest: (given) => newest.get(given),
    args(call, fragment) {
      const written = calls.get(call)
      if (!written) return undefined
      const { text, offset } = written.fragments.next(fragment)
      written.args += text
      if (text === '' && written.announced) return undefined
      written.announced = true
      const { disposition } = written
      return {
        type: 'tool_call_delta',
        id: call.id,
        name: call.name,
        args_delta: text,
        message_id: id,
        offset,
        ...(disposition === undefined ? {} : { disposition }),
      }
    },
    drop(call) {
      const dropped = calls.get(call)
      parts = parts.filter((part) => part !== dropped)
      calls.delete(call)
      if (newest.get(call.given) === call) newest.delete(call.given)
    },
    message(limits) {
      if (texts.held()) write(texts.held())
      const thinking = thought + thoughts.held()
      const content: ContentBlock[] = thinking || seal ? [{ type: 'thinking', text: thinking, ...seal }] : []
      for (const part of parts) content.push(part.type === 'text' ? part : toolUse(part, limits))
      return content.length === 0 ? undefined : { id, role: 'assistant', content }
    },
  }
}

/** Arguments that do not parse stay readable as `raw_input` and have no input, so that nobody runs the call; blank ones are those of an empty object. */
function toolUse({ call, args, fragments }: WrittenCall, limits?: JsonLimits): ToolUseBlock {
  const raw = args + fragments.held()
  const block = { type: 'tool_use', id: call.id, name: call.name } as const
  if (BLANK.test(raw)) return { ...block, input: {}, ...(raw === '' ? {} : { raw_input: raw }) }
  let input: Json
  try {
    input = parseJson(raw, limits)
  } catch {
    return { ...block, input: null, raw_input: raw }
  }
  return JSON.stringify(input) === raw ? { ...block, input } : { ...block, input, raw_input: raw }
}

/** White space, as JSON has it: it says as much as no arguments. */
const BLANK = /^[ \t\r\n]*$/
