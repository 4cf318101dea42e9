/** The calls that are open while a commit is folded, and the steps that end with it. */
import type { OpenCall } from './thread.ts'

export interface OpenSteps {
  /** A message was told: its step ends at once, or with the last of its calls. */
  begin(messageId: string, calls: readonly OpenCall[]): void
  /** The earliest call of that id; it has its result now. */
  answer(callId: string): OpenCall | undefined
  /** The steps that have ended since this was asked last, earliest first. */
  ended(): readonly string[]
  calls(): readonly OpenCall[]
}

/** One step may have many calls, and each result is a commit: nothing here looks at all of them. */
export function openSteps(before: readonly OpenCall[]): OpenSteps {
  let calls = before
  /** Messages that were told, or had a call answered, and whose step has not ended. */
  const touched = new Set<string>()

  /** Told messages come after those that were there before; of these, the one whose call is earliest is the earliest. */
  function inOrder(): readonly string[] {
    if (touched.size < 2) return [...touched]
    return [...new Set([...before.map((call) => call.message_id), ...touched])].filter((id) => touched.has(id))
  }

  return {
    begin(messageId, made) {
      if (made.length > 0) calls = [...calls, ...made]
      touched.add(messageId)
    },
    answer(callId) {
      const at = calls.findIndex(({ id }) => id === callId)
      const call = calls[at]
      if (!call) return undefined
      calls = at === 0 ? calls.slice(1) : [...calls.slice(0, at), ...calls.slice(at + 1)]
      touched.add(call.message_id)
      return call
    },
    ended() {
      const ended: string[] = []
      for (const id of inOrder()) {
        if (calls.some((call) => call.message_id === id)) continue
        ended.push(id)
        touched.delete(id)
      }
      return ended
    },
    calls: () => calls,
  }
}
