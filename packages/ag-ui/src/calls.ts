/** The calls of a run that are in committed messages: which of them still wait for a result. */
import type { Message, OpenCall } from '@factwire/core'

export interface Calls {
  /** Committed without a result. */
  open(): readonly OpenCall[]
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
  let open: readonly OpenCall[] = []
  let earlier: ReadonlySet<OpenCall> = new Set()
  const settled = new Map<string, OpenCall | undefined>()
  const names = new Map<string, string>()

  return {
    open: () => open,
    unanswered: () => open.filter((call) => !earlier.has(call)),
    find: (id) => open.find((call) => call.id === id),
    isSettled: (id) => settled.has(id),
    isSettledIn: (id, messageId) => messageId !== undefined && settled.get(id)?.message_id === messageId,
    made: (id) => names.has(id),
    nameOf: (id) => names.get(id),
    add({ id, content }) {
      const made = content.filter((block) => block.type === 'tool_use')
      open = [...open, ...made.map((call) => ({ id: call.id, name: call.name, message_id: id }))]
      for (const call of made) names.set(call.id, call.name)
    },
    settle(id) {
      const call = open.find((candidate) => candidate.id === id)
      open = open.filter((candidate) => candidate !== call)
      settled.set(id, call)
    },
    nextMessage: () => settled.clear(),
    nextRun(answered) {
      open = open.filter(({ id }) => !answered.has(id))
      earlier = new Set(open)
      settled.clear()
    },
  }
}
