/** The step that the wire stands in: what opens it, what it shows, what withdraws it. */
import { type FlatEvent } from './wire.ts'
import { type Preview, type RunContext, type Turn, none, unhold } from '@factwire/core'

export interface Stage {
  /** Content of a turn, inside its step. */
  show(turn: Turn, content: readonly FlatEvent[]): readonly FlatEvent[]
  /** The step of a turn. An empty one whose id turned out to be another's is opened again; a used one keeps its id. */
  open(turn: Turn): readonly FlatEvent[]
  /** Ends the step of a message, if that is the one that is open. */
  end(messageId: string): readonly FlatEvent[]
  /** Ends whatever step is open. */
  close(): readonly FlatEvent[]
  /** Withdraws what the current step showed. The step stays open. */
  reset(reason: string): FlatEvent
  /** Whether a reset would withdraw what is shown of a turn: no other has begun since. */
  withdraws(turn: Turn): boolean
  /** Takes back what is shown of messages that have no facts. */
  withdraw(reason: string): readonly FlatEvent[]
  /** What was held of a turn that has come to the front. */
  release(): readonly FlatEvent[]
}

/** An open `step_start`: `used` once it showed anything. */
interface Step {
  readonly turn: Turn
  readonly id: string
  used: boolean
}

export const ANOTHER_FIRST = 'another message is committed first'

export function createStage(preview: Preview, { runId, history }: RunContext): Stage {
  let step: Step | undefined
  /** The last step that showed anything. */
  let lastUsed: Step | undefined
  /** The turn of the step that was begun last. */
  let begun: Turn | undefined
  /** A run that goes on after it had waited is told its history, which has grown: so it does not mint the same ids again. */
  const series = history && history.length > 0 ? `${runId}-live-${history.length}` : `${runId}-live`
  let minted = 0

  const idOf = (turn: Turn): string => (turn.id ??= `${series}-${minted++}`)

  /** The same id again would be the same step again: a client drops what it showed of it. */
  function start(turn: Turn, messageId: string): readonly FlatEvent[] {
    const taken = lastUsed?.id === messageId && (lastUsed.turn !== turn || step === undefined)
    const id = taken ? `${messageId}-2` : messageId
    step = { turn, id, used: false }
    begun = turn
    return [{ event_type: 'step_start', message_id: id }]
  }

  function use(): void {
    if (!step) return
    step.used = true
    lastUsed = step
  }

  function open(turn: Turn): readonly FlatEvent[] {
    const id = idOf(turn)
    if (step?.turn === turn && (step.used || step.id === id)) return none
    return start(turn, id)
  }

  function reset(reason: string): FlatEvent {
    if (step) step.used = false
    if (lastUsed === step) lastUsed = undefined
    return { event_type: 'stream_reset', reason }
  }

  function withdraw(reason: string): readonly FlatEvent[] {
    if (!preview.displaced()) return none
    preview.withdraw()
    return [reset(reason)]
  }

  return {
    show(turn, content) {
      if (step?.turn === turn && step.used) return content
      const opening = open(turn)
      use()
      return [...opening, ...content]
    },

    open,

    end(messageId) {
      if (step?.turn.id !== messageId) return none
      step = undefined
      return [{ event_type: 'step_end' }]
    },

    close() {
      if (!step) return none
      step = undefined
      return [{ event_type: 'step_end' }]
    },

    reset,
    withdraws: (turn) => begun === turn,
    withdraw,

    release() {
      const turn = preview.release()
      if (!turn) return none
      // The step starts even if it is open: whoever sees this group twice begins it twice, and doubles nothing.
      const events: FlatEvent[] = [...start(turn, idOf(turn))]
      use()
      const reasoning = unhold(turn.reasoning)
      if (reasoning !== '') events.push({ event_type: 'reasoning_delta', delta: reasoning })
      const text = unhold(turn.text)
      if (text !== '') events.push({ event_type: 'text_delta', delta: text })
      // A copy: announcing moves a call to the end.
      for (const call of Array.from(turn.calls.values())) {
        if (call.cancelled || (!preview.announce(turn, call) && !call.announced)) continue
        events.push({ event_type: 'tool_call_start', id: call.wireId, name: call.name })
        const args = unhold(call)
        if (args !== '') events.push({ event_type: 'tool_call_delta', id: call.wireId, args_delta: args })
      }
      return events
    },
  }
}
