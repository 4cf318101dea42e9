/** One assistant message while its chunks come in: numbered fragments out, and the message when it is complete. */
import {
  type ContentBlock,
  type Delta,
  equalJson,
  type Json,
  type Message,
  none,
  type Pending,
  type ThinkingBlock,
  type ToolUseBlock,
} from '@factwire/core'
import { allowed } from './allowed.ts'
import { line } from './line.ts'
import { parsed } from './parsed.ts'

export interface DraftCall {
  readonly id: string
  readonly name: string
  /** Its arguments as they came. */
  text: string
  /** Its arguments, once they are whole. */
  input: { readonly value: Json; readonly readable: boolean } | undefined
  /** Somebody else than the client runs it. */
  executed: boolean
  approval: string | undefined
}

export interface Draft {
  readonly id: string
  readonly calls: ReadonlyMap<string, DraftCall>
  /** A text or a thought begins: there it stands in the message. `part`: its id on the wire. */
  begin(type: Spoken, part: string, seal?: Seal): void
  /** One that did not begin does so now. */
  say(type: Spoken, part: string, delta: string): readonly Delta[]
  /** Nothing more is said in it: what waited for it is shown. */
  end(type: Spoken, part: string, seal?: Seal): readonly Delta[]
  /** The call of that id, begun if it is new. */
  call(id: string, name: string): { readonly call: DraftCall; readonly begun: readonly Delta[] }
  args(call: DraftCall, delta: string): readonly Delta[]
  drop(call: DraftCall): void
  /** Undefined when there is nothing in it. */
  message(): Message | undefined
  /** The ids of those whose arguments have no end. */
  cut(): readonly string[]
  /** Something more may be said in a text or a thought. */
  isOpen(): boolean
  /** What its calls wait for, as far as the stream has said. */
  pending(isClients: (call: DraftCall) => boolean): readonly Pending[]
}

export type Spoken = 'text' | 'reasoning'
type Seal = Pick<ThinkingBlock, 'signature' | 'encrypted'>

interface SpokenPart {
  readonly type: Spoken
  text: string
  seal: Seal
}
type Part = SpokenPart | { readonly type: 'call'; readonly call: DraftCall }

/** `keyed`: its fragments name it. After a reset they are another item, and do not. */
export function createDraft(id: string, keyed: boolean): Draft {
  const key = keyed ? { message_id: id } : {}
  const calls = new Map<string, DraftCall>()
  let parts: Part[] = []
  const lines = { text: line<SpokenPart>(), reasoning: line<SpokenPart>() }
  const shown = { text: 0, reasoning: 0 }

  function begun(type: Spoken, id: string): SpokenPart {
    const part = lines[type].begin(id, { type, text: '', seal: {} })
    parts.push(part)
    return part
  }

  function show(type: Spoken, delta: string): readonly Delta[] {
    if (delta === '') return none
    const offset = shown[type]
    shown[type] += delta.length
    return [{ type: type === 'text' ? 'text_delta' : 'reasoning_delta', delta, ...key, offset }]
  }

  function sealed(part: SpokenPart, seal: Seal | undefined): void {
    if (seal) part.seal = { ...part.seal, ...seal }
  }

  function argsDelta(call: DraftCall, args_delta: string): Delta {
    const { id: callId, name, text } = call
    return { type: 'tool_call_delta', id: callId, name, args_delta, ...key, offset: text.length }
  }

  return {
    id,
    calls,

    begin: (type, part, seal) => sealed(begun(type, part), seal),

    say(type, part, delta) {
      if (delta === '') return none
      const spoken = lines[type]
      return show(type, spoken.say(spoken.of(part) ?? begun(type, part), delta))
    },

    end(type, part, seal) {
      const open = lines[type].of(part)
      if (open) sealed(open, seal)
      else if (seal) sealed(begun(type, part), seal)
      return show(type, lines[type].end(part))
    },

    call(callId, name) {
      const known = calls.get(callId)
      if (known) return { call: known, begun: none }
      const call: DraftCall = { id: callId, name, text: '', input: undefined, executed: false, approval: undefined }
      calls.set(callId, call)
      parts.push({ type: 'call', call })
      return { call, begun: [argsDelta(call, '')] }
    },

    args(call, delta) {
      if (delta === '') return none
      const given = argsDelta(call, delta)
      call.text += delta
      return [given]
    },

    drop(call) {
      calls.delete(call.id)
      parts = parts.filter((part) => part.type !== 'call' || part.call !== call)
    },

    message() {
      const content = parts.flatMap(blocksOf)
      return content.length === 0 ? undefined : { id, role: 'assistant', content }
    },

    cut: () => [...calls.values()].flatMap(({ id: callId, input }) => (input === undefined ? [callId] : [])),

    isOpen: () => lines.text.isOpen() || lines.reasoning.isOpen(),

    pending: (isClients) =>
      [...calls.values()].flatMap((call): Pending[] => {
        if (call.approval !== undefined) return [approvalOf(call.id, call.approval)]
        return isClients(call) ? [{ tool_use_id: call.id, kind: 'client' }] : []
      }),
  }
}

export function approvalOf(tool_use_id: string, approval_id: string): Pending {
  return { tool_use_id, kind: 'approval', ...(approval_id === tool_use_id ? {} : { approval_id }) }
}

function blocksOf(part: Part): readonly ContentBlock[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'reasoning': {
      const { text, seal } = part
      return text === '' && Object.keys(seal).length === 0 ? [] : [{ type: 'thinking', text, ...seal }]
    }
    case 'call':
      return [toolUse(part.call)]
  }
}

/** The value counts, and the text that it was written in where that is its own. What was cut short is read as far as it came. */
function toolUse({ id, name, text, input }: DraftCall): ToolUseBlock {
  const block = { type: 'tool_use', id, name } as const
  if (!input && BLANK.test(text)) return { ...block, input: {}, ...(text === '' ? {} : { raw_input: text }) }
  if (!input) return { ...block, ...readAs(text) }
  if (!input.readable) return { ...block, input: null, raw_input: typeof input.value === 'string' ? input.value : text }
  return { ...block, ...(writtenAs(text, input.value) === undefined ? { input: input.value } : readAs(text)) }
}

function readAs(text: string): Pick<ToolUseBlock, 'input' | 'raw_input'> {
  const input = parsed(text)
  if (input === undefined) return { input: null, raw_input: text }
  return text === JSON.stringify(input) ? { input } : { input, raw_input: text }
}

/**
 * What a text says, where that is the value: which may lack a key that clients refuse. Undefined where there is no text, or it says
 * something else.
 */
export function writtenAs(text: string, value: Json): Json | undefined {
  const written = text === '' ? undefined : parsed(text)
  if (written === undefined) return undefined
  // Without some keys it is JSON as before.
  return equalJson(written, value) || equalJson(allowed(written) as Json, value) ? written : undefined
}

/** White space, as JSON has it: it says as much as no arguments. */
const BLANK = /^[ \t\r\n]*$/
