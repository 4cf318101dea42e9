/** One assistant message as one client has been shown it: its text, its reasoning, its calls, and the facts that have come. */
import type { AssistantMessage, AssistantThinking, ToolCallFact } from './event.ts'
import type { CallItem } from './preview-calls.ts'
import { type Item, newItem } from './preview-item.ts'

export type MessageFact = AssistantThinking | AssistantMessage | ToolCallFact

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
  /** Another message was committed first. If that happens again, or one behind it is committed, it will not come. */
  overtaken: boolean
  /** One of its calls waits for its fact, so what comes after it must wait too: the client would have it in another order. */
  stalled: boolean
}

export function newTurn(id: string | undefined, keyed: boolean): Turn {
  return {
    id,
    keyed,
    text: newItem(),
    reasoning: newItem(),
    calls: new Map(),
    truth: { calls: [] },
    overtaken: false,
    stalled: false,
  }
}

/** Nothing was said of it, or nothing that stands. */
export function isEmpty({ text, reasoning, calls }: Turn): boolean {
  return text.end === 0 && reasoning.end === 0 && [...calls.values()].every(({ cancelled }) => cancelled)
}

export function wasShown(turn: Turn): boolean {
  if (turn.text.shown.length > 0 || turn.reasoning.shown.length > 0) return true
  for (const call of turn.calls.values()) if (call.announced) return true
  return false
}

/** The calls without fact that the client knows of. */
export const announcedCalls = (turn: Turn): CallItem[] => [...turn.calls.values()].filter((call) => call.announced)
