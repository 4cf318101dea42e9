/** What is shown before it is committed, and how it is taken back when it is not. */
import { type CallItem, type Delta, none, type PatchOrder, type Preview, type Turn, unhold } from '@factwire/core'
import { givenUpFrames } from './calls.ts'
import type { Earlier } from './earlier.ts'
import type { Stage } from './stage.ts'
import { aside, type UiFrame } from './wire.ts'

export interface Live {
  delta(event: Delta): readonly UiFrame[]
  /** What was held of a turn that has come to the front. */
  release(): readonly UiFrame[]
  /** Tells a client that keeps calls that they will not be made. */
  giveUp(calls: readonly CallItem[], reason: string): readonly UiFrame[]
}

export interface LiveOptions {
  readonly preview: Preview
  readonly patches: PatchOrder
  readonly stage: Stage
  readonly earlier: Earlier
  /** The client takes a step back. */
  readonly takesBack: boolean
  readonly reasoning: boolean
}

export function createLive({ preview, patches, stage, earlier, takesBack, reasoning }: LiveOptions): Live {
  function delta(event: Delta): readonly UiFrame[] {
    switch (event.type) {
      case 'text_delta': {
        const text = preview.text(event)
        return text === '' ? none : stage.text(preview.turn(), text)
      }
      case 'reasoning_delta': {
        if (!reasoning) return none
        const text = preview.reasoning(event)
        return text === '' ? none : stage.reasoning(preview.turn(), text)
      }
      case 'tool_call_delta': {
        const call = preview.call(event)
        return call ? showCall(preview.turn(), call, preview.fragment()) : none
      }
      case 'step_started':
        preview.step(event)
        return none
      case 'tool_output_delta': {
        const toolCallId = preview.find(event.id)?.wireId ?? earlier.find(event.id)
        return toolCallId === undefined ? none : [aside('tool-output', { toolCallId, delta: event.delta })]
      }
      case 'state_delta':
        return patches.inSequence(event) ? [aside('state-delta', event.delta)] : none
      case 'activity_delta': {
        const { message_id, activity_type, patch } = event
        return patches.inSequence(event) ? [aside('activity-delta', { message_id, activity_type, patch })] : none
      }
      case 'tool_call_cancelled':
        return cancel(event.id, event.reason)
      case 'stream_reset':
        return [...reset(event.reason), ...release()]
      default:
        event satisfies never
        return none
    }
  }

  function showCall(turn: Turn, call: CallItem, fragment: string): readonly UiFrame[] {
    const begun = preview.announce(turn, call) ? stage.callStart(turn, call) : none
    if (!call.announced || fragment === '') return begun
    return begun.length === 0 ? stage.callArgs(call, fragment) : [...begun, ...stage.callArgs(call, fragment)]
  }

  function cancel(id: string, reason: string): readonly UiFrame[] {
    const turn = preview.live().find((candidate) => candidate.calls.get(id)?.announced)
    const call = preview.cancel(id)
    if (!turn || !call) return none
    if (!takesBack) return giveUp([call], reason)
    return [...stage.clear(turn), ...shownAgain(turn)]
  }

  function reset(reason: string): readonly UiFrame[] {
    if (takesBack) {
      const turn = preview.reset()
      return turn ? stage.clear(turn) : none
    }
    const [front] = preview.live()
    const announced = [...(front?.calls.values() ?? [])].filter((call) => call.announced && !call.cancelled)
    preview.repeat()
    return giveUp(announced, reason)
  }

  /** A client that takes nothing back keeps the call, as one that failed; whoever draws the page can leave it out. */
  function giveUp(calls: readonly CallItem[], reason: string): readonly UiFrame[] {
    return calls.flatMap((call): readonly UiFrame[] => {
      // It has no place in the order of those that are made.
      call.announced = false
      return givenUpFrames(call, reason)
    })
  }

  /** What is shown of a live turn, told as it is now. */
  function shownAgain(turn: Turn): readonly UiFrame[] {
    const [thought, text] = [turn.reasoning.shown.join(''), turn.text.shown.join('')]
    return [
      ...(thought === '' ? none : stage.reasoning(turn, thought)),
      ...(text === '' ? none : stage.text(turn, text)),
      ...[...turn.calls.values()].flatMap((call): readonly UiFrame[] =>
        call.announced ? [...stage.callStart(turn, call), ...argsOf(call)] : none,
      ),
    ]
  }

  function argsOf(call: CallItem): readonly UiFrame[] {
    const args = call.shown.join('')
    return args === '' ? none : stage.callArgs(call, args)
  }

  /** What was held of a turn that has come to the front. */
  function release(): readonly UiFrame[] {
    const turn = preview.release()
    if (!turn) return none
    const held: UiFrame[] = []
    const thought = unhold(turn.reasoning)
    if (reasoning && thought !== '') held.push(...stage.reasoning(turn, thought))
    const text = unhold(turn.text)
    if (text !== '') held.push(...stage.text(turn, text))
    // A copy: announcing moves a call to the end.
    for (const call of Array.from(turn.calls.values())) {
      if (call.cancelled) continue
      const begun = preview.announce(turn, call) ? stage.callStart(turn, call) : none
      held.push(...begun, ...showCall(turn, call, call.announced ? unhold(call) : ''))
    }
    return held
  }

  return { delta, release, giveUp }
}
