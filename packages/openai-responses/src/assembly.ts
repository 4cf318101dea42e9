/**
 * Turns items, as they are read, into the messages that they belong to: deltas at once, and a commit when a call has run or the next
 * message begins.
 *
 * A message has one text. What is thought or said after its calls have run is the next one's. Where items are told of in turns, the
 * later waits until the earlier is over: messages come whole, and one after the other.
 */
import type { Commit, Delta, Message, OpenCall, Pending } from '@factwire/core'
import { type CallOutcome, inputOf } from './called.ts'
import { callDelta, contentOf, type Draft, nameIn, newDraft, type PartState, textDelta, thoughtDelta } from './draft.ts'
import { type Entry, hasArguments, isOver } from './entry.ts'

export interface AssemblyOptions {
  readonly usedCallIds: Iterable<string>
  /** Of a message that has no item of its own. */
  mint(number: number): string
  give(item: Delta | Commit): void
}

export interface Assembly {
  begin(entry: Entry): void
  say(entry: Entry, piece: string, broken: boolean): void
  think(entry: Entry, piece: string, part: PartState): void
  /** Shows what is held of a call. */
  call(entry: Entry): void
  result(entry: Entry, outcome: CallOutcome): void
  /** An item is over: what waited for it goes on. */
  finished(): void
  /** What is left when the response is over. */
  end(): Left
}

export interface Left {
  readonly message: Message | undefined
  /** Calls that somebody is to run, or to agree to. */
  readonly pending: readonly Pending[]
  /** Calls without result, those of the message left out. */
  readonly open: readonly OpenCall[]
  /** Calls that nobody can run, and why. */
  readonly unusable: ReadonlyMap<string, string>
}

/** What was said of an item while an earlier message was not over. */
interface Waiting {
  readonly entry: Entry
  readonly said: (() => void)[]
}

const RUNNING = { type: 'running' } as const

export function assembly({ usedCallIds, mint, give }: AssemblyOptions): Assembly {
  const ids = new Set(usedCallIds)
  let draft: Draft | undefined
  let minted = 0
  let later: Waiting[] = []
  const held = new Map<Entry, Waiting>()
  let closing = false
  let open: OpenCall[] = []
  let pending: Pending[] = []
  const unusable = new Map<string, string>()

  function uniqueId(entry: Entry): string {
    const { call_id, id, approval_request_id } = entry.fields
    const given = [call_id, approval_request_id, id].find((word) => typeof word === 'string' && word !== '')
    const first = typeof given === 'string' ? given : `call_${mint(0)}_${entry.index}`
    let unique = first
    for (let count = 2; ids.has(unique); count++) unique = `${first}-${count}`
    ids.add(unique)
    return unique
  }

  /** Whether an item that is thought or said begins a message of its own. */
  function beginsAnew({ entries }: Draft, entry: Entry): boolean {
    if (entry.type !== 'message' && entry.type !== 'reasoning') return false
    if (entry.type === 'message') {
      return entries.some(
        (other) => other.type === 'message' || (other.type === 'reasoning' && isNamedOtherwise(other, entry)),
      )
    }
    if (!entries.every(({ done }) => done)) return false
    return entries.some(({ type }) => type !== 'reasoning') || entries.some((other) => isOfAnother(other, entry))
  }

  /** Whether an item is one of the message that is being read. From now on that has an id. */
  function isOf(current: Draft | undefined, entry: Entry): current is Draft {
    if (!current?.entries.includes(entry)) return false
    nameOf(current)
    return true
  }

  function nameOf(of: Draft): string {
    of.id ||= nameIn(of) || mint(minted++)
    return of.id
  }

  function show(delta: Delta | undefined): void {
    if (delta) give(delta)
  }

  function waitsFor(entry: Entry): void {
    if (!entry.kind || entry.kind.runner === 'server') return
    // What was cut may parse all the same.
    if (entry.fields['status'] === 'incomplete') unusable.set(entry.callId, 'the call is incomplete')
    else if (!inputOf(entry.args.text, entry.kind.free).usable)
      unusable.set(entry.callId, 'the arguments of the call are not valid JSON')
    else pending.push({ tool_use_id: entry.callId, kind: entry.kind.runner === 'approval' ? 'approval' : 'client' })
  }

  /** Words of the message that is being read may still come. */
  function isOpen(): boolean {
    if (closing || !draft) return false
    return draft.entries.some((entry) => (entry.type === 'message' || entry.type === 'reasoning') && !isOver(entry))
  }

  /** What is said of an item that waits does so too. */
  function waits(entry: Entry, then: () => void): boolean {
    const waiting = held.get(entry)
    waiting?.said.push(then)
    return waiting !== undefined
  }

  /** Says what waited, item by item, until one has to wait for what began only now. */
  function release(): void {
    if (later.length === 0 || isOpen()) return
    const now = later
    later = []
    for (const [index, { entry, said }] of now.entries()) {
      held.delete(entry)
      for (const say of said) say()
      if (later.length > 0) {
        later = [...later, ...now.slice(index + 1)]
        return
      }
    }
  }

  /** Takes what is complete of the message. */
  function take(all: boolean): Message | undefined {
    if (!draft) return undefined
    const rest = all ? [] : draft.entries.filter((entry) => entry.kind && !hasArguments(entry))
    const whole: Draft = { ...draft, entries: draft.entries.filter((entry) => !rest.includes(entry)) }
    draft = rest.length === 0 ? undefined : { ...newDraft(), entries: rest }
    for (const entry of whole.entries) entry.given = true
    const content = contentOf(whole)
    if (content.length === 0) return undefined
    const message: Message = { id: nameOf(whole), role: 'assistant', content }
    for (const entry of whole.entries) if (entry.announced) waitsFor(entry)
    return message
  }

  function openIn({ id: message_id, content }: Message): void {
    for (const block of content)
      if (block.type === 'tool_use') open.push({ id: block.id, name: block.name, message_id })
  }

  function flush(): void {
    const message = take(false)
    if (!message) return
    openIn(message)
    give({ messages: [message], state: RUNNING, ...(pending.length > 0 ? { pending: [...pending] } : {}) })
  }

  const self: Assembly = {
    begin(entry) {
      if (later.length > 0 || (draft && beginsAnew(draft, entry) && isOpen())) {
        const waiting: Waiting = { entry, said: [() => self.begin(entry)] }
        held.set(entry, waiting)
        later.push(waiting)
        return
      }
      if (draft && beginsAnew(draft, entry)) flush()
      draft ??= newDraft()
      draft.entries.push(entry)
    },
    say(entry, piece, broken) {
      if (waits(entry, () => self.say(entry, piece, broken))) return
      if (isOf(draft, entry)) show(textDelta(draft, piece, broken))
    },
    think(entry, piece, part) {
      if (waits(entry, () => self.think(entry, piece, part))) return
      if (isOf(draft, entry)) show(thoughtDelta(draft, entry, piece, part))
    },
    call(entry) {
      if (waits(entry, () => self.call(entry))) return
      if (!entry.kind || !isOf(draft, entry)) return
      const name = entry.kind.nameOf(entry.fields)
      if (name === '') return
      entry.callId ||= uniqueId(entry)
      show(callDelta(draft, entry, name))
    },
    result(entry, outcome) {
      if (waits(entry, () => self.result(entry, outcome)) || entry.callId === '') return
      if (isOpen()) {
        later.push({ entry, said: [() => self.result(entry, outcome)] })
        return
      }
      flush()
      const { content, is_error } = outcome
      const { callId: tool_use_id } = entry
      if (!open.some(({ id }) => id === tool_use_id)) return
      open = open.filter(({ id }) => id !== tool_use_id)
      pending = pending.filter((waits) => waits.tool_use_id !== tool_use_id)
      const message: Message = {
        id: `tool-${tool_use_id}`,
        role: 'tool',
        content: [{ type: 'tool_result', tool_use_id, content, is_error }],
      }
      give({ messages: [message], state: RUNNING, ...(pending.length > 0 ? { pending: [...pending] } : {}) })
    },
    finished: release,
    end() {
      closing = true
      release()
      const message = take(true)
      return { message, pending, open, unusable }
    },
  }
  return self
}

/** Thoughts are named after their messages, or each has its own name: what one has that is not words belongs to what follows. */
function isOfAnother({ id, fields }: Entry, next: Entry): boolean {
  if (typeof fields['encrypted_content'] === 'string' || !id.startsWith('rs_') || !next.id.startsWith('rs_'))
    return false
  return next.id !== id && !next.id.startsWith(`${id}-`)
}

/** A thought that is named after a message belongs to that. Where the two have ids of their own, nothing is told by them. */
function isNamedOtherwise({ id, done }: Entry, message: Entry): boolean {
  if (!done || !id.startsWith('rs_') || message.id === '') return false
  const name = id.slice('rs_'.length)
  const own = message.id.startsWith('msg_') && !name.startsWith('msg_')
  return !own && name !== message.id && !name.startsWith(`${message.id}-`)
}
