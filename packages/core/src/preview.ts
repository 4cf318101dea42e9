/**
 * What a client has been shown of messages that are not committed yet, and how that compares with the truth.
 *
 * A list of turns, one per assistant message, each with its text, its reasoning and its calls. Only the front turn is shown;
 * deltas of a later one are held until the earlier step is over. Transcoders ask what to show, and shape the frames.
 */
import type {
  AssistantMessage,
  AssistantThinking,
  Awaiting,
  Disposition,
  Fact,
  ReasoningDelta,
  StepStarted,
  TextDelta,
  ToolCallDelta,
  ToolCallFact,
} from './event.ts'
import type { Pending } from './run.ts'

/** Text that arrives in fragments: a message's text, its reasoning, or the arguments of a call. */
export interface Item {
  /** What the client has seen. Append only, and read only when the fact comes: slicing it per delta would be quadratic. */
  shown: string
  /** Accepted, and waiting until its turn is the front one. */
  held: string
  /** UTF-16 units accepted so far. */
  end: number
  /** Fragments behind a hole, by offset. */
  parked: Map<number, string> | undefined
  /** After a reset that took nothing back: how much of `shown` the new attempt has said again; Infinity once it differs. */
  repeated: number | undefined
}

export interface CallItem extends Item {
  readonly id: string
  /** The id on the wire: the call's own, or `id-2` where that was used before. */
  readonly wireId: string
  readonly name: string
  readonly disposition: Disposition | undefined
  /** The client knows of it. */
  announced: boolean
  /** Given up by the producer; its fragments are ignored. */
  cancelled: boolean
  /** Its fact, once that came. */
  readonly fact: ToolCallFact | undefined
}

/** The facts of a message that have come so far. */
export interface Truth {
  thinking?: AssistantThinking
  message?: AssistantMessage
  readonly calls: CallItem[]
}

export interface Turn {
  /** The message's id, once anybody said it. */
  id: string | undefined
  /** The id is the message's own, not just the step's. */
  keyed: boolean
  readonly text: Item
  readonly reasoning: Item
  /** Calls that have no fact yet, by id; the announced ones in the client's order. */
  readonly calls: Map<string, CallItem>
  readonly truth: Truth
}

/** What an item holds back, to be shown now, and what has come just now. */
export function unhold(item: Item, news = ''): string {
  const shown = item.held + news
  item.shown += shown
  item.held = ''
  return shown
}

export type MessageFact = AssistantThinking | AssistantMessage | ToolCallFact

export interface Preview {
  // ── Deltas: each gives what is to be shown now, empty or undefined for nothing. `turn()` is the one it belongs to. ──
  text(delta: TextDelta): string
  reasoning(delta: ReasoningDelta): string
  /** The call, announced or not; `fragment()` is what is to be shown of its arguments. Undefined: show nothing of it. */
  call(delta: ToolCallDelta): CallItem | undefined
  fragment(): string
  /** The turn that a step opens, if it may be shown now. */
  step(delta: StepStarted): Turn | undefined
  turn(): Turn
  /** Forgets a live call. Gives it if the client knows of it. */
  cancel(id: string): CallItem | undefined
  /** Forgets the deltas of the current step. Gives its turn if any had been shown. */
  reset(): Turn | undefined
  /** The same on a wire that takes nothing back: what was shown stays, and the new attempt goes on once it has said it again. */
  repeat(): void
  /** Whether a patch is the next of its document. */
  inSequence(key: string, revision: number | undefined): boolean

  // ── Facts ──
  /** Whether a fact belongs to the message whose facts are coming. If not, `finish` first. */
  continues(fact: Fact): boolean
  /** The turn of a message's fact. Its id is bound to the fact's. */
  claim(fact: MessageFact): Turn
  /** The live turn of a message that has no facts at all. */
  claimEmpty(messageId: string): Turn | undefined
  /** The call, moved from the live ones to the truth. `inOrder`: the client met the calls of this turn in this order. */
  settle(turn: Turn, fact: ToolCallFact): { readonly call: CallItem; readonly inOrder: boolean }
  /** The message has all its facts. Gives its turn, with the live calls that are in no fact. */
  finish(): Turn | undefined
  /** The earliest call of that id that has no result yet; it has one now. */
  result(id: string): CallItem | undefined
  /** A call of that id that has a fact and no result. */
  find(id: string): CallItem | undefined
  /** Settled calls without result. */
  open(): CallItem[]
  /** Whom a run waits for. A fold without additions names nobody: then the open calls say it. */
  waiting(fact: Awaiting): readonly Pending[]
  /** The turns without facts, earliest first. */
  live(): readonly Turn[]
  /** Something of a live turn is shown, although its turn has not come. */
  displaced(): boolean
  /** Takes back what is shown of live turns: it is held again. */
  withdraw(): void
  /** Forgets the live calls of a turn. Gives those that the client knew of. */
  forget(turn: Turn): CallItem[]
  /** Forgets everything live. Gives the calls that the client knows of. */
  abandon(): CallItem[]
  /** Whether the client is to be told of a call: it was not yet, and nothing else has its id. Then it counts as told. */
  announce(turn: Turn, call: CallItem): boolean
  /** The turn that has come to the front with something held, once the step before is over. */
  release(): Turn | undefined
  /** Makes calls known that were announced before this segment's first frame. */
  know(id: string, name: string): void
}

export interface PreviewOptions {
  /** The stream is joined in the middle: the first patch seen is taken as the next. */
  readonly joined?: boolean
  /** The wire can take back what it showed, so that the id of a call that was taken back is free again. Default true. */
  readonly takesBack?: boolean
  /** Ids of calls that the client knows from before. */
  readonly callIds?: Iterable<string>
}

export function createPreview({ joined = false, takesBack = true, callIds = [] }: PreviewOptions = {}): Preview {
  /** Turns without facts, earliest first. */
  let live: Turn[] = []
  /** The turn whose facts are coming. */
  let settling: Turn | undefined
  /** The turn whose facts came last: one that a delta cut short goes on. */
  let latest: Turn | undefined
  /** Settled calls that have no result yet, by the producer's id, earliest first. */
  const settled = new Map<string, CallItem[]>()
  /** Settled calls whose results are awaited: while there are any, no later turn is shown. */
  const awaited = new Set<CallItem>()
  const settledIds = new Set<string>()
  /** Call ids that the client has met. */
  const wireIds = new Set<string>(callIds)
  const revisions = new Map<string, number>()
  let current: Turn | undefined
  let fragment = ''

  function turnOf(messageId: string | undefined): Turn | undefined {
    const last = live.at(-1)
    if (messageId === undefined) return last ?? openTurn(undefined, false)
    if (last?.id === messageId && last.keyed) return last
    const known = live.find((turn) => turn.id === messageId)
    if (known) {
      known.keyed = true
      return known
    }
    if (settledIds.has(messageId)) return undefined
    if (last && !last.keyed) {
      last.id = messageId
      last.keyed = true
      return last
    }
    return openTurn(messageId, true)
  }

  function openTurn(id: string | undefined, keyed: boolean): Turn {
    const turn: Turn = { id, keyed, text: newItem(), reasoning: newItem(), calls: new Map(), truth: { calls: [] } }
    live.push(turn)
    return turn
  }

  const isFront = (turn: Turn): boolean => turn === live[0] && settling === undefined && awaited.size === 0

  function show(turn: Turn, item: Item, fresh: string): string {
    current = turn
    const news = item.repeated === undefined ? fresh : beyondRepeated(item, fresh)
    if (news === '') return ''
    if (!isFront(turn)) {
      item.held += news
      return ''
    }
    if (item.held !== '') return unhold(item, news)
    item.shown += news
    return news
  }

  function newCall(turn: Turn, delta: ToolCallDelta): CallItem {
    const call: CallItem = {
      ...newItem(),
      id: delta.id,
      wireId: delta.id,
      name: delta.name,
      disposition: delta.disposition,
      announced: false,
      cancelled: false,
      fact: undefined,
    }
    turn.calls.set(delta.id, call)
    return call
  }

  function unusedWireId(id: string): string {
    if (!wireIds.has(id)) return id
    let count = 2
    while (wireIds.has(`${id}-${count}`)) count++
    return `${id}-${count}`
  }

  const unannounce = (call: CallItem): void => {
    if (call.announced && takesBack) wireIds.delete(call.wireId)
    call.announced = false
  }

  /** Late fragments of an attempt that was given up must not open it again. */
  const outdate = ({ keyed, id }: Turn): void => {
    if (keyed && id !== undefined) settledIds.add(id)
  }

  const withdrawItem = (item: Item): void => {
    item.held = item.shown + item.held
    item.shown = ''
  }

  return {
    text(delta) {
      const turn = turnOf(delta.message_id)
      return turn ? show(turn, turn.text, place(turn.text, delta.delta, delta.offset)) : ''
    },

    reasoning(delta) {
      const turn = turnOf(delta.message_id)
      return turn ? show(turn, turn.reasoning, place(turn.reasoning, delta.delta, delta.offset)) : ''
    },

    call(delta) {
      fragment = ''
      const turn = turnOf(delta.message_id)
      if (!turn) return undefined
      let call = turn.calls.get(delta.id)
      // An id that the client has met already would address the earlier call: such a call waits for its fact.
      if (!call?.announced && wireIds.has(delta.id)) return undefined
      call ??= newCall(turn, delta)
      if (call.cancelled) return undefined
      fragment = show(turn, call, place(call, delta.args_delta, delta.offset))
      return isFront(turn) ? call : undefined
    },

    fragment: () => fragment,

    step({ message_id }) {
      if (settledIds.has(message_id)) return undefined
      const last = live.at(-1)
      let turn = live.find((candidate) => candidate.id === message_id)
      if (!turn && last && last.id === undefined && isEmpty(last)) {
        turn = last
        turn.id = message_id
      }
      current = turn ?? openTurn(message_id, false)
      return isFront(current) ? current : undefined
    },

    turn: () => current as Turn,

    cancel(id) {
      for (const turn of live) {
        const call = turn.calls.get(id)
        if (!call || call.cancelled) continue
        call.cancelled = true
        if (!call.announced) return undefined
        unannounce(call)
        return call
      }
      return undefined
    },

    reset() {
      const turn = live[0]
      if (!turn || settling) return undefined
      const shown = wasShown(turn)
      for (const call of turn.calls.values()) unannounce(call)
      live.shift()
      outdate(turn)
      return shown ? turn : undefined
    },

    repeat() {
      const turn = live[0]
      if (!turn || settling) return
      outdate(turn)
      turn.keyed = false
      for (const item of [turn.text, turn.reasoning]) {
        if (item.shown !== '') item.repeated = 0
        item.held = ''
        item.end = 0
        item.parked = undefined
      }
      for (const call of turn.calls.values()) call.cancelled = true
    },

    inSequence(key, revision) {
      if (revision === undefined) return true
      const next = revisions.get(key) ?? (joined ? revision : 0)
      if (revision !== next) return false
      revisions.set(key, next + 1)
      return true
    },

    continues(fact) {
      if (!settling) return false
      const { truth, id } = settling
      switch (fact.type) {
        case 'assistant_thinking':
          return !truth.thinking && !truth.message && truth.calls.length === 0 && same(id, fact.message_id)
        case 'assistant_message':
          return !truth.message && truth.calls.length === 0 && (same(id, fact.id) || !settling.keyed)
        case 'tool_call':
          return same(id, fact.message_id)
        default:
          return false
      }
    },

    claim(fact) {
      const id = fact.type === 'assistant_message' ? fact.id : fact.message_id
      if (!settling) {
        const front = live[0]
        const turn =
          (id === undefined ? undefined : [latest, ...live].find((candidate) => candidate?.id === id)) ??
          (front && (!front.keyed || id === undefined) ? front : openTurn(id, true))
        live = live.filter((other) => other !== turn)
        settling = turn
        awaited.clear()
      }
      if (id !== undefined) {
        settling.id = id
        settling.keyed = true
      }
      if (fact.type === 'assistant_thinking') settling.truth.thinking = fact
      else if (fact.type === 'assistant_message') settling.truth.message = fact
      return settling
    },

    claimEmpty(messageId) {
      if (settling || settledIds.has(messageId)) return undefined
      const front = live[0]
      const turn = live.find((candidate) => candidate.id === messageId) ?? (front && !front.keyed ? front : undefined)
      if (!turn) return undefined
      live = live.filter((other) => other !== turn)
      turn.id = messageId
      turn.keyed = true
      settling = turn
      return turn
    },

    settle(turn, fact) {
      const shown = turn.calls.get(fact.id)
      let inOrder = true
      for (const other of turn.calls.values()) {
        if (!other.announced) continue
        inOrder = other === shown && other.name === fact.name
        break
      }
      turn.calls.delete(fact.id)
      const call: CallItem = shown?.announced
        ? { ...shown, fact }
        : {
            ...newItem(),
            id: fact.id,
            wireId: unusedWireId(fact.id),
            name: fact.name,
            disposition: fact.disposition,
            announced: false,
            cancelled: false,
            fact,
          }
      wireIds.add(call.wireId)
      turn.truth.calls.push(call)
      const twins = settled.get(fact.id)
      if (twins) twins.push(call)
      else settled.set(fact.id, [call])
      return { call, inOrder }
    },

    finish() {
      const turn = settling
      if (!turn) return undefined
      settling = undefined
      latest = turn
      if (turn.id !== undefined) settledIds.add(turn.id)
      for (const call of turn.truth.calls) {
        if (call.fact?.disposition === 'executed' && settled.get(call.id)?.includes(call)) awaited.add(call)
      }
      return turn
    },

    result(id) {
      const twins = settled.get(id)
      const call = twins?.shift()
      if (twins?.length === 0) settled.delete(id)
      if (call) awaited.delete(call)
      return call
    },

    find: (id) => settled.get(id)?.[0],

    open: () => [...settled.values()].flat(),

    waiting({ pending, pending_tool_use_id: named }) {
      if (pending && pending.length > 0) return pending
      const open = [...settled.values()].flat().flatMap(({ id, fact }): Pending[] => {
        if (fact === undefined || fact.disposition === 'executed') return []
        return [{ tool_use_id: id, kind: fact.disposition === 'pending_client' ? 'client' : 'approval' }]
      })
      // A call of an earlier segment: nobody says of which kind, and what needs an approval is the safer guess.
      const known = named === null || open.some(({ tool_use_id }) => tool_use_id === named)
      return known ? open : [...open, { tool_use_id: named, kind: 'approval' }]
    },

    live: () => live,

    displaced: () => live.some(wasShown),

    withdraw() {
      for (const turn of live) {
        withdrawItem(turn.text)
        withdrawItem(turn.reasoning)
        for (const call of turn.calls.values()) {
          withdrawItem(call)
          unannounce(call)
        }
      }
    },

    forget(turn) {
      const known = [...turn.calls.values()].filter((call) => call.announced)
      for (const call of known) unannounce(call)
      turn.calls.clear()
      return known
    },

    abandon() {
      const calls = live.flatMap((turn) => [...turn.calls.values()]).filter((call) => call.announced)
      live = []
      return calls
    },

    announce(turn, call) {
      if (call.announced || call.cancelled || wireIds.has(call.wireId)) return false
      wireIds.add(call.wireId)
      call.announced = true
      // The client's order is that of the announcements.
      turn.calls.delete(call.id)
      turn.calls.set(call.id, call)
      return true
    },

    release() {
      const turn = live[0]
      return turn && isFront(turn) && isHeld(turn) ? turn : undefined
    },

    know(id, name) {
      wireIds.add(id)
      const call: CallItem = {
        ...newItem(),
        id,
        wireId: id,
        name,
        disposition: undefined,
        announced: true,
        cancelled: false,
        fact: undefined,
      }
      settled.set(id, [...(settled.get(id) ?? []), call])
      awaited.add(call)
    },
  }
}

const same = (known: string | undefined, said: string | undefined): boolean =>
  known === undefined || said === undefined || known === said

function newItem(): Item {
  return { shown: '', held: '', end: 0, parked: undefined, repeated: undefined }
}

/** What a new attempt says beyond what was shown of the one before; nothing at all once it says something else. */
function beyondRepeated(item: Item, fresh: string): string {
  const from = item.repeated ?? 0
  if (from === Infinity) return ''
  const known = fresh.slice(0, item.shown.length - from)
  if (!item.shown.startsWith(known, from)) {
    item.repeated = Infinity
    return ''
  }
  item.repeated = from + known.length
  if (item.repeated === item.shown.length) item.repeated = undefined
  return fresh.slice(known.length)
}

const isEmpty = (turn: Turn): boolean => turn.text.end === 0 && turn.reasoning.end === 0 && turn.calls.size === 0

function wasShown(turn: Turn): boolean {
  if (turn.text.shown !== '' || turn.reasoning.shown !== '') return true
  for (const call of turn.calls.values()) if (call.announced) return true
  return false
}

function isHeld(turn: Turn): boolean {
  if (turn.text.held !== '' || turn.reasoning.held !== '') return true
  for (const call of turn.calls.values()) if (!call.announced && !call.cancelled) return true
  return false
}

/** What a fragment adds: nothing if it was there before, nothing yet if a piece before it is missing. */
function place(item: Item, fragment: string, offset: number | undefined): string {
  if (offset === undefined) {
    if (item.parked) return ''
    item.end += fragment.length
    return fragment
  }
  const { end } = item
  if (offset > end) {
    item.parked ??= new Map()
    item.parked.set(offset, fragment)
    return ''
  }
  const after = offset + fragment.length
  if (after <= end) return ''
  let fresh = offset === end ? fragment : fragment.slice(end - offset)
  item.end = after
  if (item.parked) fresh += unpark(item, item.parked)
  return fresh
}

/** The pieces that join on, now that the hole before them is filled. */
function unpark(item: Item, parked: Map<number, string>): string {
  let joined = ''
  for (let next = parked.get(item.end); next; next = parked.get(item.end)) {
    parked.delete(item.end)
    item.end += next.length
    joined += next
  }
  if (parked.size === 0) item.parked = undefined
  return joined
}
