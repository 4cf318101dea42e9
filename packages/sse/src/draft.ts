/** One assistant message while its flat events come in: numbered fragments out, and the message when it is complete. */
import {
  type Commit,
  type ContentBlock,
  type Delta,
  type Inference,
  type Json,
  type Message,
  parseJson,
  type ReasoningDelta,
  type TextDelta,
  type ToolCallDelta,
  type ToolUseBlock,
  equalJson,
} from '@factwire/core'
import type { CommittedDocuments } from './committed-documents.ts'
import { given } from './given.ts'

export interface DraftCall {
  readonly id: string
  name: string
  text: string
  /** Once its arguments are known. */
  arguments: Json | undefined
}

export interface Draft {
  readonly id: string
  /** Its model call or its step is over. It may still be taken back, and whether its calls are pending is not known. */
  complete: boolean
  inference: Inference | undefined
  /** What came of the run's documents while it was written: it is committed with it. */
  documents: CommittedDocuments
  /** What came of them after that. */
  later: readonly (Delta | Commit)[]
  text(delta: string): TextDelta
  reasoning(delta: string): ReasoningDelta
  encrypted(value: string): void
  open(id: string, name: string): ToolCallDelta
  /** Undefined for a call that is not here, or is made already. */
  args(id: string, delta: string): ToolCallDelta | undefined
  call(id: string): DraftCall | undefined
  ready(id: string, name: string, input: Json): void
  /** It was run, so its arguments had come, though no event said so. */
  made(id: string): void
  drop(id: string): void
  calls(): readonly DraftCall[]
  blank(): boolean
  /** Undefined when nothing was written. */
  message(): Message | undefined
}

/**
 * `attempt`: it replaces one that was reset. It keeps the id of the step, yet its fragments name none: they are a new
 * item.
 */
export function createDraft(id: string, attempt: 'first' | 'again'): Draft {
  const message_id = attempt === 'first' ? id : undefined
  const calls = new Map<string, DraftCall>()
  let text = ''
  let thought = ''
  let encrypted: string | undefined

  function fragment(call: DraftCall, delta: string): ToolCallDelta {
    const offset = call.text.length
    call.text += delta
    const { id: callId, name } = call
    return message_id === undefined
      ? { type: 'tool_call_delta', id: callId, name, args_delta: delta, offset }
      : { type: 'tool_call_delta', id: callId, name, args_delta: delta, message_id, offset }
  }

  return {
    id,
    complete: false,
    inference: undefined,
    documents: {},
    later: [],
    text(delta) {
      const offset = text.length
      text += delta
      return message_id === undefined
        ? { type: 'text_delta', delta, offset }
        : { type: 'text_delta', delta, message_id, offset }
    },
    reasoning(delta) {
      const offset = thought.length
      thought += delta
      return message_id === undefined
        ? { type: 'reasoning_delta', delta, offset }
        : { type: 'reasoning_delta', delta, message_id, offset }
    },
    encrypted(value) {
      encrypted = value
    },
    open(callId, name) {
      const call: DraftCall = { id: callId, name, text: '', arguments: undefined }
      calls.set(callId, call)
      return fragment(call, '')
    },
    args(callId, delta) {
      const call = calls.get(callId)
      return call && call.arguments === undefined ? fragment(call, delta) : undefined
    },
    call: (callId) => calls.get(callId),
    ready(callId, name, input) {
      const call = calls.get(callId)
      calls.set(callId, { id: callId, name, text: call?.text ?? '', arguments: input })
    },
    made(callId) {
      const call = calls.get(callId)
      if (call) call.arguments ??= parsedOrUndefined(call.text) ?? null
    },
    drop: (callId) => void calls.delete(callId),
    calls: () => [...calls.values()],
    blank: () => text === '' && thought === '' && encrypted === undefined && calls.size === 0,
    message() {
      const content: ContentBlock[] = []
      if (thought !== '' || encrypted !== undefined) {
        content.push({ type: 'thinking', text: thought, ...given('encrypted', encrypted) })
      }
      if (text !== '') content.push({ type: 'text', text })
      for (const call of calls.values()) content.push(blockOf(call))
      return content.length === 0 ? undefined : { id, role: 'assistant', content }
    },
  }
}

function blockOf({ id, name, text, arguments: input }: DraftCall): ToolUseBlock {
  const block = { type: 'tool_use', id, name } as const
  if (text === '') return { ...block, input: input ?? null }
  if (input !== undefined && text === JSON.stringify(input)) return { ...block, input }
  const parsed = parsedOrUndefined(text)
  const known = input ?? parsed ?? null
  return { ...block, input: known, ...given('raw_input', saysTheSame(text, parsed, known) ? text : undefined) }
}

/** The streamed text is kept where it is the same in other characters, or is broken and so has no value. */
function saysTheSame(text: string, parsed: Json | undefined, input: Json): boolean {
  if (parsed === undefined) return input === null
  return equalJson(parsed, input) && text !== JSON.stringify(input)
}

function parsedOrUndefined(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
