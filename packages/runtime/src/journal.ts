/**
 * The port of what must outlive a crash and is in no message: what was decided, what was said meanwhile, which calls were begun.
 *
 * Notes are only added, and the thread says which of them are done: a decision whose call has a result, a message that is in it.
 */
import type { Decision, EndCause, Message } from '@factwire/core'

export type Note =
  /** Somebody decided about a call that waits. */
  | { readonly type: 'decided'; readonly decision: Decision }
  /** A message came that is not in the thread yet. */
  | { readonly type: 'said'; readonly message: Message }
  /** The run was found running, and goes on in another process. */
  | { readonly type: 'resumed' }
  /** Somebody wants the run to end. */
  | { readonly type: 'stopped'; readonly cause: EndCause }

export interface Journal {
  read(runId: string): Promise<readonly Note[]>
  /** Durable when it settles. */
  add(runId: string, notes: readonly Note[]): Promise<void>
  /** True for the first that claims the call, whatever process it is in, and durable when it settles: nobody else makes the call. */
  claim(runId: string, callId: string): Promise<boolean>
  /** The run has ended. A clear that fails is no harm. */
  clear(runId: string): Promise<void>
}

/** For tests, and for hosts whose runs may die with the process. */
export function memoryJournal(): Journal {
  const runs = new Map<string, readonly Note[]>()
  const claimed = new Map<string, Set<string>>()
  return {
    read: async (runId) => runs.get(runId) ?? [],
    add: async (runId, notes) => void runs.set(runId, [...(runs.get(runId) ?? []), ...notes]),
    async claim(runId, callId) {
      const calls = claimed.get(runId) ?? new Set()
      claimed.set(runId, calls)
      const isFirst = !calls.has(callId)
      calls.add(callId)
      return isFirst
    },
    async clear(runId) {
      runs.delete(runId)
      claimed.delete(runId)
    },
  }
}

/** The notes of one run, as its loop reads them. */
export interface Notes {
  readonly decisions: ReadonlyMap<string, Decision>
  readonly said: readonly Message[]
  /** How often the run was found running. */
  readonly resumed: number
  /** How the run is to end, where somebody wants that. */
  readonly stopped: EndCause | undefined
  add(notes: readonly Note[]): Promise<void>
  /** Keeps that somebody wants it to end. Nobody waits for that, because the run does what it keeps. */
  stop(cause: EndCause): void
  claim(callId: string): Promise<boolean>
  clear(): Promise<void>
}

export async function notesOf(journal: Journal, runId: string): Promise<Notes> {
  const decisions = new Map<string, Decision>()
  const said: Message[] = []
  let resumed = 0
  let stopped: EndCause | undefined
  let stopping: Promise<unknown> = Promise.resolve()

  function take(note: Note): void {
    switch (note.type) {
      case 'decided':
        // The first word counts: the tool may have begun with it.
        if (!decisions.has(note.decision.tool_use_id)) decisions.set(note.decision.tool_use_id, note.decision)
        return
      case 'said':
        if (!said.some(({ id }) => id === note.message.id)) said.push(note.message)
        return
      case 'resumed':
        resumed++
        return
      case 'stopped':
        stopped ??= note.cause
        return
      default:
        note satisfies never
    }
  }

  for (const note of await journal.read(runId)) take(note)
  return {
    decisions,
    said,
    get resumed() {
      return resumed
    },
    get stopped() {
      return stopped
    },
    stop(cause) {
      stopped ??= cause
      stopping = journal.add(runId, [{ type: 'stopped', cause }]).catch(() => undefined)
    },
    async add(notes) {
      if (notes.length === 0) return
      await journal.add(runId, notes)
      for (const note of notes) take(note)
    },
    claim: (callId) => journal.claim(runId, callId),
    async clear() {
      // Or what comes late stays behind.
      await stopping
      await journal.clear(runId)
    },
  }
}

/** What was said to a run and may be in no commit yet: for whoever ends a run without its agent, as a hub does. */
export function saidIn(journal: Journal): (runId: string) => Promise<readonly Message[]> {
  return async (runId) => (await notesOf(journal, runId)).said
}
