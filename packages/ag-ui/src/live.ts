/** What is shown before it is committed, and how it is taken down when it is not. */
import { type CallItem, type Delta, none, type PatchOrder, type Preview, type Turn, unhold } from '@factwire/core'
import { createPrinting } from './activity.ts'
import { givenUpId } from './history.ts'
import type { Conversation } from './snapshot.ts'
import type { Stage } from './stage.ts'
import { unansweredResult } from './unanswered.ts'
import type { AgUiEvent } from './wire.ts'

export interface Live {
  delta(event: Delta): readonly AgUiEvent[]
  /** What was held of a turn that has come to the front. */
  release(): readonly AgUiEvent[]
  /** Ends a call that will not be made. A client counts a call without result as one that it has to run. */
  dropCall(turn: Turn, call: CallItem, reason: string): readonly AgUiEvent[]
  /** A call of that id is shown, and not committed. */
  shows(id: string): boolean
  /** Ends what is open of turns, their calls included. */
  takeDown(turns: readonly Turn[], reason: string): readonly AgUiEvent[]
  /** The ids of the thoughts that are shown of turns. */
  thoughtsOf(turns: readonly Turn[]): readonly string[]
}

/** `told`: the ids of calls with a result. */
export function createLive(
  preview: Preview,
  patches: PatchOrder,
  stage: Stage,
  conversation: Conversation,
  told: Set<string>,
): Live {
  const print = createPrinting()

  function delta(event: Delta): readonly AgUiEvent[] {
    switch (event.type) {
      case 'text_delta': {
        const text = preview.text(event)
        return text === '' ? none : stage.text(preview.turn(), text)
      }
      case 'reasoning_delta': {
        const text = preview.reasoning(event)
        return text === '' ? none : stage.reasoning(preview.turn(), text)
      }
      case 'tool_call_delta': {
        const call = preview.call(event)
        return call ? showCall(preview.turn(), call, preview.fragment()) : none
      }
      case 'step_started': {
        const turn = preview.step(event)
        return turn ? stage.enter(turn) : none
      }
      case 'tool_output_delta': {
        const call = preview.find(event.id)
        return call ? [print(call, event.delta)] : none
      }
      case 'state_delta':
        return patches.inSequence(event) ? [{ type: 'STATE_DELTA', delta: event.delta }] : none
      case 'activity_delta': {
        const { message_id: messageId, activity_type: activityType, patch } = event
        if (!patches.inSequence(event)) return none
        return [{ type: 'ACTIVITY_DELTA', messageId, activityType, patch }]
      }
      case 'tool_call_cancelled':
        return cancel(event.id, event.reason)
      case 'stream_reset':
        return [...reset(), ...release()]
      default:
        event satisfies never
        return none
    }
  }

  function showCall(turn: Turn, call: CallItem, fragment: string): readonly AgUiEvent[] {
    const args = fragment === '' ? none : stage.callArgs(call, fragment)
    return preview.announce(turn, call) ? [...stage.callStart(turn, call), ...args] : args
  }

  function cancel(id: string, reason: string): readonly AgUiEvent[] {
    const turn = preview.live().find((candidate) => candidate.calls.get(id)?.announced)
    const call = preview.cancel(id)
    if (!turn || !call) return none
    const events = dropCall(turn, call, reason)
    return conversation.known ? [...events, conversation.whole()] : events
  }

  function reset(): readonly AgUiEvent[] {
    if (!conversation.known) {
      preview.repeat()
      return none
    }
    const front = preview.live().slice(0, 1)
    const thoughts = thoughtsOf(front)
    const ends = takeDown(front, 'the attempt was given up')
    return preview.reset() ? [...ends, conversation.whole(thoughts)] : ends
  }

  function release(): readonly AgUiEvent[] {
    const turn = preview.release()
    if (!turn) return none
    const events: AgUiEvent[] = []
    const reasoning = unhold(turn.reasoning)
    if (reasoning !== '') events.push(...stage.reasoning(turn, reasoning))
    const text = unhold(turn.text)
    if (text !== '') events.push(...stage.text(turn, text))
    // A copy: announcing moves a call to the end.
    for (const call of Array.from(turn.calls.values())) {
      if (call.cancelled) continue
      const told = preview.announce(turn, call)
      if (told) events.push(...stage.callStart(turn, call))
      const args = call.announced ? unhold(call) : ''
      if (args !== '') events.push(...stage.callArgs(call, args))
    }
    return events
  }

  function dropCall(turn: Turn, call: CallItem, reason: string): readonly AgUiEvent[] {
    told.add(call.wireId)
    const result = unansweredResult(givenUpId(call.wireId), call, { content: reason, cancelled: true })
    return [...stage.callEnd(turn, call), result]
  }

  function shows(id: string): boolean {
    return preview.live().some((turn) => turn.calls.get(id)?.announced)
  }

  function takeDown(turns: readonly Turn[], reason: string): readonly AgUiEvent[] {
    return turns.flatMap((turn): readonly AgUiEvent[] => {
      if (!stage.knows(turn)) return none
      const calls = [...turn.calls.values()].filter((call) => call.announced)
      return [...calls.flatMap((call) => dropCall(turn, call, reason)), ...stage.drop(turn)]
    })
  }

  function thoughtsOf(turns: readonly Turn[]): readonly string[] {
    const thinking = turns.filter((turn) => turn.reasoning.shown.length > 0 && stage.knows(turn))
    return thinking.map((turn) => stage.shown(turn).thoughtId)
  }

  return { delta, release, dropCall, shows, takeDown, thoughtsOf }
}
