/** What is said of each message as items: a thought, a text, its calls. An item that is open goes on, everything else begins one. */
import { argumentsOf, type CallItem, none, type Preview, type ToolCallFact, type Turn, unhold } from '@factwire/core'
import type { Room } from './counter.ts'
import { type CallHead, type CallKind, type Sending, type Sent, THOUGHT_ENDS } from './sending.ts'
import type { WrittenEvent } from './wire.ts'

/** What a call is called with. */
export type Made = Pick<ToolCallFact, 'name' | 'input' | 'raw_input'>

export interface Speech {
  say(turn: Turn, text: string): WrittenEvent[]
  think(turn: Turn, text: string): WrittenEvent[]
  /** What of a whole thought was not told. */
  untold(turn: Turn, thought: string): string
  /** Its text has begun. */
  isTalking(turn: Turn): boolean
  /** The thought is over, as far as it goes. */
  rest(turn: Turn, encrypted?: string): WrittenEvent[]
  /** What a thought has that is not words. */
  seal(turn: Turn, encrypted: string, into: WrittenEvent[]): void
  /** The text is over. */
  endMessage(turn: Turn, text: string, into: WrittenEvent[]): void
  /** A fragment of a call. The first one begins it. */
  show(turn: Turn, call: CallItem, fragment: string): readonly WrittenEvent[]
  /** A call with all its arguments, which were not shown. */
  tell(kind: CallKind, head: CallHead, made: Made, into: WrittenEvent[]): Sent
  /** The same, of a message of this response. */
  whole(turn: Turn | undefined, call: CallItem, made: Made, into: WrittenEvent[]): Sent
  sentOf(call: CallItem | undefined): Sent | undefined
  /** The same, of a call that has its result: nothing more will be asked of it. */
  take(call: CallItem): Sent | undefined
  /** A call that is shown and has no fact yet; of that kind, or any. */
  hasShown(turn: Turn, kind?: CallKind): boolean
  /** What was held of a turn that has come to the front. */
  release(): WrittenEvent[]
  /** All of it is committed. */
  keep(turn: Turn): void
  /** Ends what is open, but for calls of the client. */
  abandon(unanswered: string): WrittenEvent[]
}

export interface SpeechOptions {
  readonly thoughts: boolean
  /** Whether a call is shown while it is written. */
  isShown(call: CallItem): boolean
  /** What a turn is called until anybody says its id. */
  mint(): string
}

interface Told {
  message?: Sent
  /** The thought that goes on. */
  thought?: Sent
  /** How much of what was thought was told in earlier items. */
  thoughtUntil: number
  readonly sent: Sent[]
  /** Goes to the number of its text. */
  room?: Room
}

export function createSpeech(preview: Preview, sending: Sending, { thoughts, isShown, mint }: SpeechOptions): Speech {
  const told = new Map<Turn, Told>()
  const calls = new Map<CallItem, Sent>()
  let kept: Turn | undefined

  function toldOf(turn: Turn): Told {
    let of = told.get(turn)
    if (!of) {
      of = { thoughtUntil: 0, sent: [] }
      told.set(turn, of)
    }
    return of
  }

  const idOf = (turn: Turn): string => (turn.id ??= mint())

  function say(turn: Turn, text: string): WrittenEvent[] {
    const of = toldOf(turn)
    // Nobody is shown as thinking who is talking.
    const events = rest(turn)
    if (!of.message) {
      reserve(of)
      of.room?.()
    }
    if (!of.message || of.message.done) of.sent.push((of.message = sending.message(idOf(turn), events)))
    events.push(of.message.piece(text))
    return events
  }

  /** What is thought of a message stands before its text, whether anything is or not. */
  function reserve(of: Told): void {
    of.room ??= sending.reserve()
  }

  function think(turn: Turn, text: string): WrittenEvent[] {
    const of = toldOf(turn)
    const events: WrittenEvent[] = []
    if (!of.thought) {
      // Its facts have it before the text.
      if (of.message) sending.leap()
      reserve(of)
      of.sent.push((of.thought = sending.thought(idOf(turn), events)))
    }
    events.push(of.thought.piece(text))
    return events
  }

  function rest(turn: Turn, encrypted?: string): WrittenEvent[] {
    const of = toldOf(turn)
    const events: WrittenEvent[] = []
    if (!of.thought) return events
    const whole = turn.reasoning.shown.join('')
    // Its facts may have more of it, so that its end has no number that would be one of a word.
    of.room?.(THOUGHT_ENDS)
    sending.endThought(of.thought, whole.slice(of.thoughtUntil), encrypted, events)
    of.thoughtUntil = whole.length
    delete of.thought
    return events
  }

  function show(turn: Turn, call: CallItem, fragment: string): readonly WrittenEvent[] {
    if (!isShown(call)) return none
    if (!preview.announce(turn, call)) {
      const sent = calls.get(call)
      // Of a call whose id stands for another nothing is shown.
      return sent && call.announced && fragment !== '' ? [sent.piece(fragment)] : none
    }
    const events = rest(turn)
    const kind = call.disposition === 'executed' ? 'mcp_call' : 'function_call'
    const sent = begin(turn, call, kind, call.name, events)
    if (fragment !== '') events.push(sent.piece(fragment))
    return events
  }

  function begin(turn: Turn | undefined, call: CallItem, kind: CallKind, name: string, into: WrittenEvent[]): Sent {
    const sent = sending.call(kind, { id: call.wireId, name }, into)
    calls.set(call, sent)
    if (turn) toldOf(turn).sent.push(sent)
    return sent
  }

  function write(sent: Sent, made: Made, into: WrittenEvent[]): Sent {
    const args = argumentsOf(made)
    if (args !== '') into.push(sent.piece(args))
    sending.endArguments(sent, args, into)
    sent.kept = true
    return sent
  }

  return {
    say,
    think,
    untold(turn, thought) {
      const { thought: open, thoughtUntil } = toldOf(turn)
      return thought.slice(open ? lengthOf(turn.reasoning.shown) : thoughtUntil)
    },
    isTalking: (turn) => toldOf(turn).message !== undefined,
    rest,
    seal(turn, encrypted, into) {
      toldOf(turn).sent.push(sending.sealed(idOf(turn), encrypted, into))
    },
    endMessage(turn, text, into) {
      const { message } = toldOf(turn)
      if (message && !message.done) sending.endMessage(message, text, true, into)
    },
    show,
    tell: (kind, head, made, into) => write(sending.call(kind, head, into), made, into),
    whole(turn, call, made, into) {
      if (turn) into.push(...rest(turn))
      return write(begin(turn, call, 'mcp_call', made.name, into), made, into)
    },
    sentOf: (call) => call && calls.get(call),
    take(call) {
      const sent = calls.get(call)
      calls.delete(call)
      return sent
    },
    hasShown: (turn, kind) =>
      [...turn.calls.values()].some((call) => call.announced && (!kind || calls.get(call)?.kind === kind)),
    release() {
      const events: WrittenEvent[] = []
      const turn = preview.release()
      if (!turn) return events
      const thought = unhold(turn.reasoning)
      if (thoughts && thought !== '') events.push(...think(turn, thought))
      const text = unhold(turn.text)
      if (text !== '') events.push(...say(turn, text))
      for (const call of Array.from(turn.calls.values())) events.push(...show(turn, call, unhold(call)))
      return events
    },
    keep(turn) {
      for (const sent of toldOf(turn).sent) sent.kept = true
      // Facts may go on with the latest message. What was shown of those before it is held by nobody else.
      if (kept && kept !== turn) told.delete(kept)
      kept = turn
    },
    abandon(unanswered) {
      const events: WrittenEvent[] = []
      for (const [turn, { message }] of told) {
        events.push(...rest(turn))
        if (!message || message.done) continue
        message.kept = false
        sending.endMessage(message, turn.text.shown.join(''), false, events)
      }
      for (const [call, sent] of calls) {
        if (sent.done || sent.kind !== 'mcp_call') continue
        sent.kept &&= sent.told
        if (!sent.told) sending.endArguments(sent, call.shown.join(''), events)
        sending.endCall(sent, { output: null, error: unanswered }, events)
      }
      return events
    },
  }
}

const lengthOf = (pieces: readonly string[]): number => pieces.reduce((sum, { length }) => sum + length, 0)
