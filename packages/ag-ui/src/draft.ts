/** One message while its events come in: numbered fragments out while it is shown, and the message when it is complete. */
import {
  type Commit,
  type ContentBlock,
  type Delta,
  type Message,
  none,
  type ToolCallDelta,
  type ToolResultBlock,
} from '@factwire/core'
import { messageIdOf } from './history.ts'
import { callBlock } from './stored.ts'
import { createThoughts, type Thoughts } from './thoughts.ts'

export interface DraftCall {
  readonly id: string
  readonly name: string
  /** The client runs it. */
  readonly client: boolean
  text: string
  /** Its arguments are complete. */
  ended: boolean
}

/** What became of a call before the message that made it could be committed. */
export interface EarlyResult {
  /** Of the wire. */
  readonly messageId: string
  /** Of the stored message, where it is another. */
  readonly storedId?: string | undefined
  readonly block: ToolResultBlock
  /** No snapshot has taken the call back, so it stays. */
  readonly stays?: true
}

export type Deltas = readonly Delta[]

/** What a decoder gives, in order. */
export type Items = (Delta | Commit)[]

export interface Draft {
  readonly role: 'assistant' | 'system' | 'user'
  /** The subagent whose message it is. */
  readonly owner: string | undefined
  /** Its id on the wire. Absent while only thoughts have come, which do not say whose they are. */
  wireId(): string | undefined
  /** The message's, which differs where that of the wire was used before. */
  id(): string | undefined
  name(wireId: string, id: string): void
  /** Its step is over: what names no parent belongs to another message. */
  complete: boolean
  /** A snapshot took it back, which the next may undo: servers send two to move a message. */
  gone: boolean
  textOpen: boolean
  readonly calls: ReadonlyMap<string, DraftCall>
  readonly thoughts: Thoughts
  results: readonly EarlyResult[]
  text(): string
  addText(delta: string): Deltas
  addThought(id: string, delta: string): Deltas
  /** Takes over the thoughts of a draft that turned out to be the same message. */
  absorb(other: Draft): Deltas
  startCall(id: string, name: string, client: boolean): Deltas
  addArguments(call: DraftCall, delta: string): Deltas
  dropCall(call: DraftCall, reason: string): Deltas
  /** Sets text and calls to what was said of it before this stream. */
  recall(text: string, calls: readonly DraftCall[]): Deltas
  /** Sets text and calls. To be followed by `showAgain`. */
  correct(text: string, calls: readonly DraftCall[]): void
  /** From here on fragments are shown. Gives what there is already. */
  show(): Deltas
  /** Withdraws what was shown, and shows what there is as a new item. */
  showAgain(reason: string): Deltas
  /** Nothing of it is open. */
  quiet(): boolean
  blank(): boolean
  /** Undefined when there is nothing in it. */
  message(): Message | undefined
}

export function createDraft(role: Draft['role'], owner: string | undefined): Draft {
  const calls = new Map<string, DraftCall>()
  const thoughts = createThoughts()
  let text = ''
  let names: { readonly wireId: string; readonly id: string } | undefined
  let shown = false
  /** After a reset its fragments name no message, because they are another item. */
  let keyed = true

  const key = (): { readonly message_id?: string } => (keyed && names ? { message_id: names.id } : {})
  const live = (delta: Delta): Deltas => (shown && role === 'assistant' ? [delta] : none)

  function fragment(type: 'text_delta' | 'reasoning_delta', delta: string, offset: number): Deltas {
    if (delta === '' || !shown || role !== 'assistant') return none
    return keyed && names ? [{ type, delta, message_id: names.id, offset }] : [{ type, delta, offset }]
  }

  function callDelta(call: DraftCall, delta: string, offset: number): ToolCallDelta {
    return {
      type: 'tool_call_delta',
      id: call.id,
      name: call.name,
      args_delta: delta,
      ...key(),
      offset,
      ...(call.client ? { disposition: 'pending_client' } : {}),
    }
  }

  function all(): Deltas {
    const thought = thoughts.text()
    const said = role === 'assistant' ? textAndCalls() : none
    if (role !== 'assistant' || thought === '') return said
    return [{ type: 'reasoning_delta', delta: thought, ...key(), offset: 0 }, ...said]
  }

  function textAndCalls(): Deltas {
    const deltas: Delta[] = []
    if (text !== '') deltas.push({ type: 'text_delta', delta: text, ...key(), offset: 0 })
    for (const call of calls.values()) deltas.push(callDelta(call, call.text, 0))
    return deltas
  }

  function correct(whole: string, truth: readonly DraftCall[]): void {
    text = whole
    calls.clear()
    for (const call of truth) calls.set(call.id, call)
  }

  const draft: Draft = {
    role,
    owner,
    wireId: () => names?.wireId,
    id: () => names?.id,
    name(wireId, id) {
      names = { wireId, id }
    },
    complete: false,
    gone: false,
    textOpen: false,
    calls,
    thoughts,
    results: [],
    text: () => text,
    addText(delta) {
      const offset = text.length
      text += delta
      return fragment('text_delta', delta, offset)
    },
    addThought(id, delta) {
      return fragment('reasoning_delta', delta, thoughts.add(id, delta))
    },
    absorb(other) {
      const offset = thoughts.text().length
      const delta = thoughts.take(other.thoughts)
      return fragment('reasoning_delta', delta, offset)
    },
    startCall(id, name, client) {
      const call: DraftCall = { id, name, client, text: '', ended: false }
      calls.set(id, call)
      return live(callDelta(call, '', 0))
    },
    addArguments(call, delta) {
      const offset = call.text.length
      call.text += delta
      return delta === '' ? none : live(callDelta(call, delta, offset))
    },
    dropCall({ id, name }, reason) {
      calls.delete(id)
      return live({ type: 'tool_call_cancelled', id, name, reason })
    },
    recall(whole, known) {
      correct(whole, known)
      return shown ? textAndCalls() : none
    },
    correct,
    show() {
      shown = true
      return all()
    },
    showAgain(reason) {
      keyed = false
      return shown ? [{ type: 'stream_reset', reason }, ...all()] : none
    },
    quiet: () => !draft.textOpen && !thoughts.open() && [...calls.values()].every((call) => call.ended),
    blank: () => text === '' && calls.size === 0 && thoughts.empty(),
    message() {
      const content: ContentBlock[] = [...thoughts.blocks()]
      if (text !== '') content.push({ type: 'text', text })
      for (const call of calls.values()) content.push(callBlock(call.id, call.name, call.text))
      if (content.length === 0) return undefined
      return { id: names?.id ?? messageIdOf(thoughts.parts()[0]?.id ?? ''), role, content }
    },
  }
  return draft
}
