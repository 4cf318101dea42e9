/**
 * What a client has been shown of messages that are not committed yet, and how that compares with the truth.
 *
 * A list of turns, one per assistant message, each with its text, its reasoning and its calls. Only the front turn is shown;
 * deltas of a later one are held until the earlier step is over. Transcoders ask what to show, and shape the frames.
 */
import type {
  Awaiting,
  Delta,
  Fact,
  ReasoningDelta,
  StepStarted,
  TextDelta,
  ToolCallDelta,
  ToolCallFact,
} from './event.ts'
import { type CallItem, createCallBook, type KnownCall, newCall } from './preview-calls.ts'
import { createFlow, type FragmentDelta } from './preview-flow.ts'
import { type Item, accept, repeatItem, unhold, withhold } from './preview-item.ts'
import { announcedCalls, type MessageFact, type Turn, wasShown } from './preview-turn.ts'
import { createTurns } from './preview-turns.ts'
import type { Pending } from './run.ts'

export interface Preview {
  // ── Deltas: each gives what is to be shown now, empty or undefined for nothing. `turn()` is the one it belongs to. ──
  text(delta: TextDelta): string
  reasoning(delta: ReasoningDelta): string
  /** The call, announced or not; `fragment()` is what is to be shown of its arguments. Undefined: show nothing of it. */
  call(delta: ToolCallDelta): CallItem | undefined
  fragment(): string
  /**
   * What `delta` adds to the item that `before`, the last thing that was asked for, has shown something of. Undefined, and nothing has
   * happened, unless it is just the next piece of that.
   */
  next(before: Delta, delta: Delta): string | undefined
  /** The turn that a step opens, if it may be shown now. */
  step(delta: StepStarted): Turn | undefined
  turn(): Turn
  /** Forgets a live call. Gives it if the client knows of it. */
  cancel(id: string): CallItem | undefined
  /** Forgets the deltas of the current step. Gives its turn if any had been shown. */
  reset(): Turn | undefined
  /** The same on a wire that takes nothing back: what was shown stays, and the new attempt goes on once it has said it again. */
  repeat(): void

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
  know(call: KnownCall): void
}

export interface PreviewOptions {
  /** The wire can take back what it showed, so that the id of a call that was taken back is free again. Default true. */
  readonly takesBack?: boolean
  /** Ids of calls that the client knows from before. */
  readonly callIds?: Iterable<string>
  /** Ids of messages that were committed before: nothing live belongs to them. */
  readonly messageIds?: Iterable<string>
}

export function createPreview(options: PreviewOptions = {}): Preview {
  const { takesBack = true, callIds = [], messageIds = [] } = options
  /** The turn whose facts are coming. */
  let settling: Turn | undefined
  const book = createCallBook(callIds, takesBack)
  const turns = createTurns(messageIds)
  let current: Turn | undefined
  let fragment = ''
  const flow = createFlow()

  /** Nothing is shown of a turn before the step of the one before is over. */
  const isFront = (turn: Turn): boolean =>
    turn === turns.live()[0] && !turn.stalled && settling === undefined && !book.expecting()

  function show(turn: Turn, item: Item, delta: FragmentDelta, text: string): string {
    current = turn
    const news = accept(item, text, delta.offset)
    if (news === '') return ''
    if (!isFront(turn)) {
      item.held += news
      return ''
    }
    flow.shown(delta, item)
    if (item.held !== '') return unhold(item, news)
    item.shown.push(news)
    return news
  }

  /** A call that the client must not be told of, because its id stands for another, is not held back but left out. */
  function isHeld(turn: Turn): boolean {
    if (turn.text.held !== '' || turn.reasoning.held !== '') return true
    for (const call of turn.calls.values()) {
      if (call.cancelled) continue
      if (call.announced ? call.held !== '' : !book.knows(call.wireId)) return true
    }
    return false
  }

  return {
    text(delta) {
      const turn = turns.ofDelta(delta.message_id)
      return turn ? show(turn, turn.text, delta, delta.delta) : ''
    },

    reasoning(delta) {
      const turn = turns.ofDelta(delta.message_id)
      return turn ? show(turn, turn.reasoning, delta, delta.delta) : ''
    },

    call(delta) {
      fragment = ''
      const turn = turns.ofDelta(delta.message_id)
      if (!turn) return undefined
      let call = turn.calls.get(delta.id)
      // An id that the client has met already would address the earlier call: such a call waits for its fact.
      if (!call?.announced && book.knows(delta.id)) {
        // A wire that takes back may be told of the next ones: they are put in order once the facts are there.
        turn.stalled ||= !takesBack
        return undefined
      }
      if (!call) {
        call = newCall(delta)
        turn.calls.set(delta.id, call)
      }
      if (call.cancelled) return undefined
      fragment = show(turn, call, delta, delta.args_delta)
      return isFront(turn) ? call : undefined
    },

    fragment: () => fragment,
    next: flow.next,

    step({ message_id }) {
      const turn = turns.ofStep(message_id)
      if (!turn) return undefined
      current = turn
      return isFront(turn) ? turn : undefined
    },

    turn: () => current as Turn,

    cancel(id) {
      for (const turn of turns.live()) {
        const call = turn.calls.get(id)
        if (!call || call.cancelled) continue
        call.cancelled = true
        if (!call.announced) return undefined
        book.unannounce(call)
        return call
      }
      return undefined
    },

    reset() {
      const turn = turns.live()[0]
      if (!turn || settling) return undefined
      const shown = wasShown(turn)
      for (const call of turn.calls.values()) book.unannounce(call)
      turns.shift()
      turns.outdate(turn)
      return shown ? turn : undefined
    },

    repeat() {
      const turn = turns.live()[0]
      if (!turn || settling) return
      turns.outdate(turn)
      turn.keyed = false
      // The new attempt has an id of its own, and may begin with its step.
      turn.id = undefined
      repeatItem(turn.text)
      repeatItem(turn.reasoning)
      for (const call of turn.calls.values()) call.cancelled = true
    },

    continues(fact) {
      if (!settling) return false
      const { truth } = settling
      switch (fact.type) {
        case 'assistant_thinking':
          return !truth.thinking && !truth.message && truth.calls.length === 0 && turns.mayBe(settling, fact.message_id)
        case 'assistant_message':
          return !truth.message && truth.calls.length === 0 && turns.mayBe(settling, fact.id)
        case 'tool_call':
          return turns.mayBe(settling, fact.message_id)
        default:
          return false
      }
    },

    claim(fact) {
      const id = fact.type === 'assistant_message' ? fact.id : fact.message_id
      if (!settling) {
        settling = turns.claim(id)
        book.expectNone()
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
      if (settling) return undefined
      settling = turns.claimEmpty(messageId)
      return settling
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
      const call = book.settle(fact, shown)
      turn.truth.calls.push(call)
      return { call, inOrder }
    },

    finish() {
      const turn = settling
      if (!turn) return undefined
      settling = undefined
      turns.settled(turn)
      book.expect(turn.truth.calls)
      return turn
    },

    result: book.result,
    find: book.find,
    open: book.open,
    waiting: book.waiting,
    know: book.know,

    live: turns.live,

    displaced: () => turns.live().some(wasShown),

    withdraw() {
      for (const turn of turns.live()) {
        withhold(turn.text)
        withhold(turn.reasoning)
        for (const call of turn.calls.values()) {
          withhold(call)
          book.unannounce(call)
        }
      }
      turns.overtake()
    },

    forget(turn) {
      const known = announcedCalls(turn)
      for (const call of known) book.unannounce(call)
      turn.calls.clear()
      return known
    },

    abandon() {
      const calls = turns.live().flatMap(announcedCalls)
      turns.clear()
      return calls
    },

    announce(turn, call) {
      if (!book.announce(call)) return false
      // The client's order is that of the announcements.
      turn.calls.delete(call.id)
      turn.calls.set(call.id, call)
      return true
    },

    release() {
      const turn = turns.live()[0]
      return turn && isFront(turn) && isHeld(turn) ? turn : undefined
    },
  }
}
