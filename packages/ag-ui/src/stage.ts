/** What is open on the wire: the step, and of each turn its text, its reasoning and its calls. Every function gives legal frames. */
import { type CallItem, type Message, type RunContext, type Turn, none } from '@factwire/core'
import { reasoningId } from './history.ts'
import type { AgUiEvent } from './wire.ts'

/** A turn as the client knows it. */
export interface Shown {
  /** The message's id on the wire; what was shown under it keeps it. */
  readonly id: string
  /** The id of its thought. */
  readonly thoughtId: string
  /** The id that was wished for. */
  readonly asked: string
  /** The client has a thought under the id. */
  thought: boolean
  /** Something was shown under the id. */
  used: boolean
  /** Text and reasoning are not left open beside each other: clients up to 0.0.59 allow it too, but their pages flicker. */
  open: 'text' | 'reasoning' | undefined
  readonly calls: Set<CallItem>
  /** Something of it is not, or not in that order, what is committed: only a snapshot tells the truth. */
  broken: boolean
}

export interface Stage {
  /** How the client knows a turn; its id is the message's, or minted where nobody has said one. */
  shown(turn: Turn): Shown
  /** Whether the client knows of the turn at all. */
  knows(turn: Turn): boolean
  /** The id that a message without a turn is to have: the one wished for, where nothing else has it. */
  take(id: string): string
  enter(turn: Turn): readonly AgUiEvent[]
  text(turn: Turn, delta: string): readonly AgUiEvent[]
  reasoning(turn: Turn, delta: string): readonly AgUiEvent[]
  /** Begins a reasoning message that has no text. */
  reason(turn: Turn): readonly AgUiEvent[]
  callStart(turn: Turn, call: CallItem): readonly AgUiEvent[]
  callArgs(call: CallItem, delta: string): readonly AgUiEvent[]
  callEnd(turn: Turn, call: CallItem): readonly AgUiEvent[]
  close(turn: Turn, kind: 'text' | 'reasoning'): readonly AgUiEvent[]
  /** Ends everything that is open of a turn whose facts have come. Its id stays taken. */
  settle(turn: Turn): readonly AgUiEvent[]
  /** Ends everything that is open of a turn that is taken back, its step too. Its id is free again. */
  drop(turn: Turn): readonly AgUiEvent[]
  /** Begins again what is open of a turn, for a client that joins. */
  reopen(turn: Turn): readonly AgUiEvent[]
  /** Ends the step that is open. */
  leave(): readonly AgUiEvent[]
  /** The step that is open, for a client that joins. */
  step(): readonly AgUiEvent[]
}

export function createStage({ runId, history = [] }: RunContext, thread: readonly Message[] = []): Stage {
  const known = new Map<Turn, Shown>()
  /** Message ids that the client has met. */
  const taken = new Set<string>(thread.map(({ id }) => id))
  let step: { readonly turn: Turn; readonly name: string } | undefined
  /** A run that goes on after it had waited is told its history, which has grown: so it does not mint the same ids again. */
  const series = history.length > 0 ? `${runId}-live-${history.length}` : `${runId}-live`
  let minted = 0

  function shown(turn: Turn): Shown {
    const record = known.get(turn)
    if (record && (record.used || turn.id === undefined || turn.id === record.asked)) return record
    // A step that showed nothing yet may turn out to be another message's.
    if (record) taken.delete(record.id)
    const asked = turn.id ?? `${series}-${minted++}`
    const id = unused(asked)
    const fresh: Shown = {
      id,
      thoughtId: reasoningId(id),
      asked,
      thought: false,
      used: false,
      open: undefined,
      calls: new Set(),
      broken: record?.broken ?? false,
    }
    known.set(turn, fresh)
    return fresh
  }

  /** One id for two messages would make them one at the client. */
  function unused(id: string): string {
    let free = id
    for (let count = 2; taken.has(free); count++) free = `${id}-${count}`
    taken.add(free)
    return free
  }

  function enter(turn: Turn): readonly AgUiEvent[] {
    const { id } = shown(turn)
    if (step?.turn === turn && step.name === id) return none
    const left = leave()
    step = { turn, name: id }
    return [...left, { type: 'STEP_STARTED', stepName: step.name }]
  }

  function leave(): readonly AgUiEvent[] {
    if (!step) return none
    const { name } = step
    step = undefined
    return [{ type: 'STEP_FINISHED', stepName: name }]
  }

  function close(turn: Turn, kind: 'text' | 'reasoning'): readonly AgUiEvent[] {
    const record = shown(turn)
    if (record.open !== kind) return none
    record.open = undefined
    if (kind === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId: record.id }]
    const { thoughtId: messageId } = record
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ]
  }

  function begin(turn: Turn, kind: 'text' | 'reasoning'): readonly AgUiEvent[] {
    const record = shown(turn)
    record.open = kind
    record.used = true
    if (kind === 'text') return [{ type: 'TEXT_MESSAGE_START', messageId: record.id, role: 'assistant' }]
    record.thought = true
    const { thoughtId: messageId } = record
    return [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
    ]
  }

  function reason(turn: Turn): readonly AgUiEvent[] {
    if (shown(turn).open === 'reasoning') return none
    return [...enter(turn), ...close(turn, 'text'), ...begin(turn, 'reasoning')]
  }

  function settle(turn: Turn): readonly AgUiEvent[] {
    const record = known.get(turn)
    if (!record) return none
    const ends = [...record.calls].map((call): AgUiEvent => ({ type: 'TOOL_CALL_END', toolCallId: call.wireId }))
    const closed = [...close(turn, 'reasoning'), ...close(turn, 'text'), ...ends]
    known.delete(turn)
    return closed
  }

  function start(turn: Turn, call: CallItem): AgUiEvent {
    const { id: parentMessageId } = shown(turn)
    return { type: 'TOOL_CALL_START', toolCallId: call.wireId, toolCallName: call.name, parentMessageId }
  }

  return {
    shown,
    knows: (turn) => known.has(turn),
    take: unused,
    enter,

    text(turn, delta) {
      const record = shown(turn)
      const content: AgUiEvent = { type: 'TEXT_MESSAGE_CONTENT', messageId: record.id, delta }
      if (record.open === 'text') return [content]
      return [...enter(turn), ...close(turn, 'reasoning'), ...begin(turn, 'text'), content]
    },

    reasoning(turn, delta) {
      const record = shown(turn)
      const content: AgUiEvent = { type: 'REASONING_MESSAGE_CONTENT', messageId: record.thoughtId, delta }
      return record.open === 'reasoning' ? [content] : [...reason(turn), content]
    },

    reason,

    callStart(turn, call) {
      const record = shown(turn)
      record.calls.add(call)
      record.used = true
      return [...enter(turn), ...close(turn, 'text'), ...close(turn, 'reasoning'), start(turn, call)]
    },

    callArgs: (call, delta) => [{ type: 'TOOL_CALL_ARGS', toolCallId: call.wireId, delta }],

    callEnd(turn, call) {
      if (!shown(turn).calls.delete(call)) return none
      return [{ type: 'TOOL_CALL_END', toolCallId: call.wireId }]
    },

    close,

    settle,

    drop(turn) {
      const record = known.get(turn)
      if (!record) return none
      const ends = [...settle(turn), ...(step?.turn === turn ? leave() : none)]
      taken.delete(record.id)
      return ends
    },

    reopen(turn) {
      if (!known.has(turn)) return none
      const { open, calls } = shown(turn)
      return [...(open ? begin(turn, open) : none), ...[...calls].map((call) => start(turn, call))]
    },

    leave,
    step: () => (step ? [{ type: 'STEP_STARTED', stepName: step.name }] : none),
  }
}
