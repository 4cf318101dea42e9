/** What becomes of the parts of a draft that were given up, broke off, or are told again. */
import type { Draft, DraftCall, Items } from './draft.ts'
import { givenUpId } from './history.ts'
import { parsed } from './stored.ts'

export const GONE = 'the snapshot takes it back'

/** Of a message that goes on though a snapshot did not have it, what was complete is gone. */
export function keepOpen(draft: Draft, items: Items): void {
  draft.gone = false
  for (const call of draft.calls.values()) {
    if (!call.ended) continue
    items.push(...draft.dropCall(call, GONE))
    draft.results = draft.results.filter(({ block }) => block.tool_use_id !== call.id)
  }
  if (draft.textOpen || draft.text() === '') return
  draft.correct('', [...draft.calls.values()])
  items.push(...draft.showAgain(GONE))
}

/** False when its arguments are complete and cannot go on: what follows is the same again. */
export function reopen(call: DraftCall): boolean {
  if (!isWhole(call.text)) call.ended = false
  return !call.ended
}

/** Nothing can follow: it is an object, a list or a string, and closed. A number may always go on. */
const isWhole = (text: string): boolean => /^\s*[{["]/.test(text) && parsed(text) !== undefined

/** Calls whose arguments broke off will not be made. */
export function dropUnfinished(draft: Draft, items: Items): void {
  for (const call of draft.calls.values()) {
    if (call.ended || hasResult(draft, call.id) || parsed(call.text) !== undefined) continue
    items.push(...draft.dropCall(call, 'its arguments never came'))
  }
}

export function hasResult(draft: Draft | undefined, callId: string): boolean {
  return draft?.results.some(({ block }) => block.tool_use_id === callId) ?? false
}

/** A snapshot may yet bring it back, or take back altogether a call that was given up. */
export function isInDoubt(draft: Draft): boolean {
  return draft.gone || draft.results.some(({ block, stays }) => block.cancelled && !stays)
}

/** No snapshot came: what it might have taken back stays. */
export function keepGivenUp(draft: Draft): void {
  draft.results = draft.results.map((early) => ({ ...early, stays: true }))
}

/** Of its calls some were given up while they were written, and none ran: the message may still go on. */
export function isOnlyGivenUp({ complete, results }: Draft): boolean {
  return !complete && results.every(({ block, messageId }) => messageId === givenUpId(block.tool_use_id))
}
