/** The calls of a run that are in committed messages: which of them still wait for a result. */
import { type Message, type OpenCall, callsOf, createOpenCalls } from '@factwire/core'

export interface Calls {
  /** Committed without a result. */
  open(): readonly OpenCall[]
  /** Whether there are any. */
  any(): boolean
  /** Of those, the ones that this run made. */
  unanswered(): readonly OpenCall[]
  find(id: string): OpenCall | undefined
  /** Its result came, since the last message began. */
  isSettled(id: string): boolean
  /** The same, and it is the call of that message. */
  isSettledIn(id: string, messageId: string | undefined): boolean
  /** The run made a call of that id. */
  made(id: string): boolean
  nameOf(id: string): string | undefined
  add(message: Message): void
  settle(id: string): void
  /** A new message begins: a provider may use the ids of earlier calls again. */
  nextMessage(): void
  /** Another run goes on from here: what the client was to run it has run. */
  nextRun(answered: ReadonlySet<string>): void
}

export function createCalls(): Calls {
  const open = createOpenCalls()
  let earlier: ReadonlySet<OpenCall> = new Set()
  const settled = new Map<string, OpenCall | undefined>()
  const names = new Map<string, string>()

  return {
    open: open.all,
    any: open.any,
    unanswered: () => open.all().filter((call) => !earlier.has(call)),
    find: open.find,
    isSettled: (id) => settled.has(id),
    isSettledIn: (id, messageId) => messageId !== undefined && settled.get(id)?.message_id === messageId,
    made: (id) => names.has(id),
    nameOf: (id) => names.get(id),
    add(message) {
      const made = callsOf(message)
      open.add(made)
      for (const call of made) names.set(call.id, call.name)
    },
    settle: (id) => void settled.set(id, open.answer(id)),
    nextMessage: () => settled.clear(),
    nextRun(answered) {
      for (const { id } of open.all()) if (answered.has(id)) open.answer(id)
      earlier = new Set(open.all())
      settled.clear()
    },
  }
}
