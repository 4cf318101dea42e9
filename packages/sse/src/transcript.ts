/** The turns of a thread while they are written, and every call by its id. */
import { type ContentBlock, type Json, type SuspendTicket, textOf } from '@factwire/core'
import { given } from './given.ts'
import type { CallResult } from './result.ts'
import type { Call, CallStatus, Turn, ViewMessage, ViewResult } from './view.ts'

export interface WrittenCall {
  readonly id: string
  readonly turn: WrittenTurn
  name: string
  argumentsText: string
  arguments?: Json
  status: CallStatus
  output: string
  result?: ViewResult
  ticket?: SuspendTicket
}

export interface WrittenTurn {
  readonly role: 'assistant'
  readonly id: string
  text: string
  reasoning: string
  encryptedReasoning?: string
  calls: WrittenCall[]
  open: boolean
  /** What was given out of it, while that is still so. */
  shown: Turn | undefined
}

export interface Transcript {
  /** The turn of the last `step_start`, ended or not. */
  current(): WrittenTurn | undefined
  /** The open turn; one without an id where none is open. */
  writable(): WrittenTurn
  /** The turn for calls whose own turn is unknown: no reset reaches it. */
  strays(): WrittenTurn
  start(id: string): void
  end(): void
  /** Empties the current turn, which goes on. */
  reset(): void
  /** No later event belongs to the current turn. */
  leave(): void
  /** The newest call of this id. */
  call(id: string): WrittenCall | undefined
  calls(): readonly WrittenCall[]
  addCall(turn: WrittenTurn, id: string, name: string): WrittenCall
  removeCall(call: WrittenCall): void
  /** Puts another history before the turns. Turns that it holds are no longer the run's own. */
  replaceBefore(entries: readonly (ViewMessage | WrittenTurn)[]): void
  before(): readonly (ViewMessage | Turn)[]
  turns(): readonly WrittenTurn[]
}

export function createTranscript(): Transcript {
  let before: readonly (ViewMessage | WrittenTurn)[] = []
  let turns: WrittenTurn[] = []
  let current: WrittenTurn | undefined
  let strays: WrittenTurn | undefined
  /** Ids may repeat from turn to turn: the newest is last. */
  let calls = new Map<string, WrittenCall[]>()

  function index(call: WrittenCall): void {
    const same = calls.get(call.id)
    if (same) same.push(call)
    else calls.set(call.id, [call])
  }

  function forget(call: WrittenCall): void {
    const others = calls.get(call.id)?.filter((other) => other !== call) ?? []
    if (others.length > 0) calls.set(call.id, others)
    else calls.delete(call.id)
  }

  function empty(turn: WrittenTurn): void {
    for (const call of turn.calls) forget(call)
    turn.text = ''
    turn.reasoning = ''
    delete turn.encryptedReasoning
    turn.calls = []
    turn.open = true
    turn.shown = undefined
  }

  function begin(id: string): WrittenTurn {
    end()
    // Nothing is left of a step in which nothing happened.
    if (current && isBlank(current)) turns.splice(turns.indexOf(current), 1)
    current = newTurn(id)
    current.open = true
    turns.push(current)
    return current
  }

  function end(): void {
    if (!current) return
    current.open = false
    current.shown = undefined
  }

  return {
    current: () => current,
    writable: () => (current?.open ? current : begin('')),
    strays() {
      if (strays) return strays
      strays = newTurn('')
      turns.splice(current?.open ? turns.indexOf(current) : turns.length, 0, strays)
      return strays
    },
    start(id) {
      // The same message again, as a reader sees it who got a group of frames twice: it begins anew.
      if (current && id !== '' && current.id === id) empty(current)
      else begin(id)
    },
    end,
    reset() {
      if (current) empty(current)
    },
    leave() {
      end()
      current = undefined
      strays = undefined
    },
    call: (id) => calls.get(id)?.at(-1),
    calls: () => [...calls.values()].flat(),
    addCall(turn, id, name) {
      const call = addCallTo(turn, id, name)
      index(call)
      return call
    },
    removeCall(call) {
      forget(call)
      call.turn.calls = call.turn.calls.filter((other) => other !== call)
      call.turn.shown = undefined
    },
    replaceBefore(entries) {
      const ids = new Set(entries.filter(isTurn).map(({ id }) => id))
      before = entries
      turns = turns.filter(({ id }) => id === '' || !ids.has(id))
      if (current && !turns.includes(current)) current = undefined
      calls = new Map()
      for (const turn of [...entries.filter(isTurn), ...turns]) turn.calls.forEach(index)
    },
    before: () => before.map((entry) => (isTurn(entry) ? shownTurn(entry) : entry)),
    turns: () => turns,
  }
}

export function newTurn(id: string): WrittenTurn {
  return { role: 'assistant', id, text: '', reasoning: '', calls: [], open: false, shown: undefined }
}

export function addCallTo(turn: WrittenTurn, id: string, name: string): WrittenCall {
  const call: WrittenCall = { id, turn, name, argumentsText: '', status: 'streaming', output: '' }
  turn.calls.push(call)
  turn.shown = undefined
  return call
}

export function setArguments(call: WrittenCall, value: Json): void {
  call.arguments = value
  call.argumentsText = JSON.stringify(value)
  if (call.status === 'streaming') call.status = 'ready'
  call.turn.shown = undefined
}

/** What a tool printed is no part of its result. */
export function settle(call: WrittenCall, result: CallResult): void {
  const media = result.content.filter((block: ContentBlock) => block.type !== 'text')
  call.status = statusOf(result)
  call.result = {
    text: textOf(result.content),
    ...given('media', media.length === 0 ? undefined : media),
    ...given('data', result.data),
  }
  call.output = ''
  delete call.ticket
  call.turn.shown = undefined
}

function statusOf({ isError, denied, cancelled }: CallResult): CallStatus {
  if (cancelled) return 'cancelled'
  if (denied) return 'denied'
  return isError ? 'failed' : 'succeeded'
}

/** Nothing of it can be seen. */
export function isBlank(turn: WrittenTurn): boolean {
  return turn.text === '' && turn.reasoning === '' && turn.encryptedReasoning === undefined && turn.calls.length === 0
}

function isTurn(entry: ViewMessage | WrittenTurn): entry is WrittenTurn {
  return 'calls' in entry
}

export function shownTurn(turn: WrittenTurn): Turn {
  const { role, id, text, reasoning, encryptedReasoning, open } = turn
  turn.shown ??= {
    role,
    id,
    text,
    reasoning,
    ...given('encryptedReasoning', encryptedReasoning),
    calls: turn.calls.map(shownCall),
    open,
  }
  return turn.shown
}

function shownCall(call: WrittenCall): Call {
  return {
    id: call.id,
    name: call.name,
    argumentsText: call.argumentsText,
    ...given('arguments', call.arguments),
    status: call.status,
    output: call.output,
    ...given('result', call.result),
    ...given('ticket', call.ticket),
  }
}
