/**
 * Calls that the client is to run, from their commit until the run waits for them. A page runs a call as soon as it is told whole, and a
 * run may end before it waits: until then a call is shown, to its last argument, as one that is being written.
 */
import { argumentsOf, argumentsTail, type CallItem, type Disposition, none } from '@factwire/core'
import { type Called, flagOf, isUnreadable } from './calls.ts'
import type { Target, ToolInputAvailableChunk, UiFrame } from './wire.ts'

export interface Held {
  /** Shows what is missing of a committed call. Undefined for one that is told whole at once. */
  show(call: CallItem, isShown: boolean): readonly UiFrame[] | undefined
  has(toolCallId: string): boolean
  /** The run waits for it. */
  handOver(toolCallId: string): readonly UiFrame[]
  /** Somebody else has answered it. */
  giveUp(toolCallId: string): readonly UiFrame[]
  /** Their step ends: a client finds a call only in the step that it stands in. */
  handOverAll(): readonly UiFrame[]
  /** The run ends, and waits for none of them. */
  giveUpAll(): readonly UiFrame[]
}

/** `joined`: those that whoever joins was shown. */
export function createHeld(target: Target, joined: readonly ToolInputAvailableChunk[] = []): Held {
  const held = new Map(joined.map((chunk) => [chunk.toolCallId, chunk]))

  function take(toolCallId: string): ToolInputAvailableChunk | undefined {
    const chunk = held.get(toolCallId)
    held.delete(toolCallId)
    return chunk
  }

  function handOver(toolCallId: string): readonly UiFrame[] {
    const chunk = take(toolCallId)
    return chunk ? [chunk] : none
  }

  function giveUp(toolCallId: string): readonly UiFrame[] {
    const chunk = take(toolCallId)
    return chunk ? [{ ...chunk, providerExecuted: true }] : none
  }

  return {
    show({ wireId, fact, shown }, isShown) {
      if (!fact || !isHeld(fact, fact.disposition, target)) return undefined
      const tail = isShown ? argumentsTail(shown, argumentsOf(fact)) : argumentsOf(fact)
      // What is shown is put right by the whole.
      if (tail === undefined) return undefined
      held.set(wireId, wholeCall(wireId, fact))
      return isShown ? argumentFrames(wireId, tail) : writtenCall(wireId, fact)
    },
    has: (toolCallId) => held.has(toolCallId),
    handOver,
    giveUp,
    handOverAll: () => (held.size === 0 ? none : [...held.keys()].flatMap(handOver)),
    giveUpAll: () => (held.size === 0 ? none : [...held.keys()].flatMap(giveUp)),
  }
}

/** Whether a client would run it, or let somebody answer it, once it is told whole. */
export const isHeld = (called: Called, disposition: Disposition, target: Target): boolean =>
  !isUnreadable(called) && flagOf(disposition, target).providerExecuted === undefined

export const wholeCall = (toolCallId: string, { name, input }: Called): ToolInputAvailableChunk => ({
  type: 'tool-input-available',
  toolCallId,
  toolName: name,
  input,
})

/** A call with all its arguments, as one that is being written. */
export const writtenCall = (toolCallId: string, called: Called): readonly UiFrame[] => [
  { type: 'tool-input-start', toolCallId, toolName: called.name },
  ...argumentFrames(toolCallId, argumentsOf(called)),
]

const argumentFrames = (toolCallId: string, inputTextDelta: string): readonly UiFrame[] =>
  inputTextDelta === '' ? none : [{ type: 'tool-input-delta', toolCallId, inputTextDelta }]
