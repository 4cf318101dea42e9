/** What a client that joins a response has missed of it, as one commit. */
import { type Commit, type Committed, type Message, type Pending, type Standing } from '@factwire/core'

/**
 * The messages since the last request, which may have been results of calls. Where the thread before the request is known, a later
 * message of the user steers the run and is no request.
 */
export function sinceRequest({ messages }: Committed, history: readonly Message[] | undefined): readonly Message[] {
  const earlier = history && new Set(history.map(({ id }) => id))
  const last = messages.findLastIndex(({ id, role }) => (earlier ? earlier.has(id) : role === 'user'))
  return messages.slice(last + 1)
}

export interface Begun {
  readonly commit: Commit
  readonly before: Standing
}

const RUNNING = { type: 'running' } as const

/** Calls without result that the client is to run, or that somebody is asked about, are told when the run waits. */
export function begun(
  { standing, pending = [] }: Committed,
  since: readonly Message[],
  clientTools: ReadonlySet<string>,
): Begun {
  const own = new Set(since.map(({ id }) => id))
  const asked = new Set(pending.map(({ tool_use_id }) => tool_use_id))
  const brought = standing.openCalls.filter(
    ({ id, name, message_id }) => own.has(message_id) && clientTools.has(name) && !asked.has(id),
  )
  const waiting = [...pending, ...brought.map(({ id }): Pending => ({ tool_use_id: id, kind: 'client' }))]
  return {
    commit: { messages: since, state: RUNNING, pending: waiting },
    before: { state: RUNNING, openCalls: [] },
  }
}
