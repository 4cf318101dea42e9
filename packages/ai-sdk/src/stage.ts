/** What is open on the wire: the step, and in it the text, the reasoning and the calls of one message. Every function gives legal chunks. */
import { type CallItem, none, type Turn } from '@factwire/core'
import { flagOf } from './calls.ts'
import { textId, thoughtId } from './part-names.ts'
import { aside, type Target, type ToolInputStartChunk, type UiFrame } from './wire.ts'

/** A message as its step shows it. */
interface Shown {
  /** Counts the steps of the UI message: names of parts come from it, because a client keeps those of reasoning. */
  readonly index: number
  text: boolean
  reasoning: boolean
  /** How many parts its reasoning has been in. */
  thoughts: number
  /** It has begun calls. */
  calls: boolean
}

interface Step {
  turn: Turn | 'earlier' | undefined
  readonly index: number
}

export interface Stage {
  text(turn: Turn, delta: string): readonly UiFrame[]
  reasoning(turn: Turn, delta: string): readonly UiFrame[]
  callStart(turn: Turn, call: CallItem): readonly UiFrame[]
  callArgs(call: CallItem, delta: string): readonly UiFrame[]
  /** A call is to stand in the step of its message. */
  enter(turn: Turn): readonly UiFrame[]
  /** Whether something stands in the step that a call or a thought would have to stand before. */
  shows(turn: Turn): boolean
  /** The same of a text. */
  showsCalls(turn: Turn): boolean
  /** Ends text and reasoning of a message whose facts have come. */
  settle(turn: Turn): readonly UiFrame[]
  /** Takes back all that the step of a message shows. The step itself stays, for whoever comes next. */
  clear(turn: Turn): readonly UiFrame[]
  /** Ends the step, and whatever is open in it. */
  leave(): readonly UiFrame[]
  /** Ends the step, if all facts of its message have come. */
  rest(): readonly UiFrame[]
}

/** `steps`: how many the UI message has before; `open`: the last of them goes on. `leaving` gives what is still to stand in a step. */
export function createStage(
  { steps, open }: { readonly steps: number; readonly open: boolean },
  target: Target,
  leaving: () => readonly UiFrame[],
): Stage {
  const known = new Map<Turn, Shown>()
  let step: Step | undefined = open ? { turn: 'earlier', index: steps - 1 } : undefined
  let count = steps

  function enter(turn: Turn): readonly UiFrame[] {
    if (step?.turn === turn) return none
    const named = turn.id === undefined ? none : [aside('step', { message_id: turn.id })]
    // One that was cleared is still empty.
    if (step && !step.turn) {
      step.turn = turn
      return named
    }
    const left = leave()
    step = { turn, index: count++ }
    return [...left, { type: 'start-step' }, ...named]
  }

  /** The message as its step shows it, and what opens the step. */
  function shown(turn: Turn): { readonly record: Shown; readonly entered: readonly UiFrame[] } {
    const entered = enter(turn)
    let record = known.get(turn)
    if (!record) {
      record = { index: step?.index ?? count, text: false, reasoning: false, thoughts: 0, calls: false }
      known.set(turn, record)
    }
    return { record, entered }
  }

  function leave(): readonly UiFrame[] {
    if (!step) return none
    const { turn } = step
    const closed = turn === undefined || turn === 'earlier' ? none : settle(turn)
    step = undefined
    return [...closed, ...leaving(), { type: 'finish-step' }]
  }

  function settle(turn: Turn): readonly UiFrame[] {
    const record = known.get(turn)
    if (!record) return none
    known.delete(turn)
    const text: readonly UiFrame[] = record.text ? [{ type: 'text-end', id: textId(record.index) }] : none
    return [...endThought(record), ...text]
  }

  /** A page folds a thought away once something else is said. */
  function endThought(record: Shown): readonly UiFrame[] {
    if (!record.reasoning) return none
    record.reasoning = false
    return [{ type: 'reasoning-end', id: thoughtId(record.index, record.thoughts) }]
  }

  return {
    text(turn, delta) {
      const { record, entered } = shown(turn)
      const id = textId(record.index)
      const content: UiFrame = { type: 'text-delta', id, delta }
      if (record.text) return record.reasoning ? [...endThought(record), content] : [content]
      record.text = true
      return [...entered, ...endThought(record), { type: 'text-start', id }, content]
    },

    reasoning(turn, delta) {
      const { record, entered } = shown(turn)
      if (record.reasoning) return [{ type: 'reasoning-delta', id: thoughtId(record.index, record.thoughts), delta }]
      record.reasoning = true
      record.thoughts++
      const id = thoughtId(record.index, record.thoughts)
      return [...entered, { type: 'reasoning-start', id }, { type: 'reasoning-delta', id, delta }]
    },

    callStart(turn, call) {
      const { record, entered } = shown(turn)
      record.calls = true
      const start: ToolInputStartChunk = {
        type: 'tool-input-start',
        toolCallId: call.wireId,
        toolName: call.name,
        ...flagOf(call.disposition, target),
      }
      return [...entered, ...endThought(record), start]
    },

    callArgs: (call, delta) => [{ type: 'tool-input-delta', toolCallId: call.wireId, inputTextDelta: delta }],

    enter: (turn) => shown(turn).entered,

    shows(turn) {
      const record = known.get(turn)
      return record !== undefined && (record.text || record.calls)
    },

    showsCalls: (turn) => known.get(turn)?.calls === true,

    settle,

    clear(turn) {
      if (step?.turn !== turn) return none
      known.delete(turn)
      step = { turn: undefined, index: step.index }
      return [{ type: 'reset-step' }]
    },

    leave,
    rest: () => (step?.turn && step.turn !== 'earlier' && known.has(step.turn) ? none : leave()),
  }
}
