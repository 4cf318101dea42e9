/**
 * The calls of a thread as a writer keeps them: ids of providers in, ids that are unique in the thread out.
 *
 * Providers give the same id again, in a later message or even in the same one; whoever reads the thread must not see that.
 */
import type { Disposition } from './event.ts'
import { none } from './protocol.ts'
import type { Pending } from './run.ts'
import type { Message, OpenCall } from './thread.ts'
import { uniqueIds } from './writer-ids.ts'

/** A call under its id in the thread. `given` is the id that its provider gave it. */
export interface WriterCall extends OpenCall {
  readonly given: string
}

export interface WriterCalls {
  /** Committed calls without a result. */
  open(): readonly WriterCall[]
  create(given: string, name: string, messageId: string, disposition?: Disposition): WriterCall
  /**
   * The call that an id means among some: the one that its provider gave it, else the one that has it in the thread. One id may
   * mean several calls: those of the newest message, in their order.
   */
  meant<Call extends WriterCall>(id: string, calls: readonly Call[]): Call | undefined
  /** The same among the open ones and those that are being written; undefined when it was answered. */
  named(id: string, written: readonly WriterCall[]): WriterCall | undefined
  /** The message that made these calls is committed. */
  commit(calls: readonly WriterCall[]): void
  close(call: WriterCall): void
  /** Somebody's own assistant message. `shown` are the calls that were announced for it. */
  admitCalls(message: Message, shown: readonly WriterCall[]): Message
  /** Somebody's own tool message: each result answers the first open call that its id means. */
  admitResults(message: Message): Message
  /** Somebody's own list of what is pending; it replaces what was known. */
  admitPending(pending: readonly Pending[]): readonly Pending[]
  /** Whether any open call waits for somebody, or any of those that are being written. */
  waits(written: readonly WriterCall[]): boolean
  /** What the open calls wait for. */
  pending(): readonly Pending[]
}

export function writerCalls(openCalls: readonly OpenCall[], history: readonly Message[]): WriterCalls {
  const ids = uniqueIds([...history.flatMap(callIdsOf), ...openCalls.map(({ id }) => id)])
  const waiting = new Map<string, Pending>()
  const open = new Set<WriterCall>()
  /** The open calls by the id that each was given, and by the one that it has: a result must not look at all of them. */
  const byGiven = new Map<string, Set<WriterCall>>()
  const byId = new Map<string, Set<WriterCall>>()
  const givenIds = new Set(openCalls.map(({ id }) => id))
  for (const call of openCalls) add({ ...call, given: call.id })

  function add(call: WriterCall): void {
    open.add(call)
    listed(byGiven, call.given).add(call)
    listed(byId, call.id).add(call)
  }

  function close(call: WriterCall): void {
    open.delete(call)
    listed(byGiven, call.given).delete(call)
    listed(byId, call.id).delete(call)
    waiting.delete(call.id)
  }

  // Of a call that was given the id and has its result, a late one must not go to whoever has the id by chance.
  const isMeant = (id: string, call: WriterCall): boolean => (givenIds.has(id) ? call.given === id : call.id === id)

  function meant<Call extends WriterCall>(id: string, calls: readonly Call[]): Call | undefined {
    const mine = calls.filter((call) => isMeant(id, call))
    return mine.find(({ message_id }) => message_id === mine.at(-1)?.message_id)
  }

  /** Those of the open calls that an id may mean. */
  const candidates = (id: string): readonly WriterCall[] => [...listed(givenIds.has(id) ? byGiven : byId, id)]

  return {
    open: () => [...open],
    meant,
    create(given, name, messageId, disposition) {
      givenIds.add(given)
      const call = { id: ids.unique(given), name, message_id: messageId, given }
      const pending = pendingOf(call.id, disposition)
      if (pending) waiting.set(call.id, pending)
      return call
    },
    named(id, written) {
      const call = meant(id, [...candidates(id), ...written])
      if (call || ids.has(id)) return call
      throw new TypeError(`no call "${id}" was made: open it with toolCall or commit its message`)
    },
    commit(calls) {
      for (const call of calls) add(call)
    },
    close,
    admitCalls(message, shown) {
      let free = shown
      const content = message.content.map((block) => {
        if (block.type !== 'tool_use') return block
        const call = meant(block.id, free)
        if (call) free = free.filter((other) => other !== call)
        else givenIds.add(block.id)
        const id = call?.id ?? ids.unique(block.id)
        add({ id, name: block.name, message_id: message.id, given: call?.given ?? block.id })
        return { ...block, id }
      })
      return { ...message, content }
    },
    admitResults(message) {
      const content = message.content.map((block) => {
        if (block.type !== 'tool_result') return block
        const call = meant(block.tool_use_id, candidates(block.tool_use_id))
        if (!call) return block
        close(call)
        return { ...block, tool_use_id: call.id }
      })
      return { ...message, content }
    },
    admitPending(pending) {
      for (const { id } of open) waiting.delete(id)
      let free: readonly WriterCall[] = [...open]
      return pending.map((entry) => {
        const call = meant(entry.tool_use_id, free)
        if (!call) return entry
        free = free.filter((other) => other !== call)
        const admitted = { ...entry, tool_use_id: call.id }
        waiting.set(call.id, admitted)
        return admitted
      })
    },
    waits: (written) => waiting.size > 0 && [...open, ...written].some(({ id }) => waiting.has(id)),
    pending: () => (waiting.size === 0 ? none : [...open].flatMap(({ id }) => waiting.get(id) ?? [])),
  }
}

function listed(index: Map<string, Set<WriterCall>>, id: string): Set<WriterCall> {
  const known = index.get(id)
  if (known) return known
  const calls = new Set<WriterCall>()
  index.set(id, calls)
  return calls
}

function callIdsOf(message: Message): string[] {
  return message.content.filter((block) => block.type === 'tool_use').map(({ id }) => id)
}

function pendingOf(id: string, disposition: Disposition | undefined): Pending | undefined {
  if (disposition === 'pending_client') return { tool_use_id: id, kind: 'client' }
  return disposition === 'pending_builtin' ? { tool_use_id: id, kind: 'approval' } : undefined
}
