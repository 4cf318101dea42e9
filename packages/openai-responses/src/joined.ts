/** What a client that joins a response has missed of it. */
import { type Commit, type Committed, type Fact, fold, type Message, type Pending } from '@factwire/core'

/**
 * The messages since the last request, which may have been results of calls. Where the thread before the request is known, a later
 * message of the user steers the run and is no request.
 */
export function sinceRequest({ messages }: Committed, history: readonly Message[] | undefined): readonly Message[] {
  const earlier = history && new Set(history.map(({ id }) => id))
  const last = messages.findLastIndex(({ id, role }) => (earlier ? earlier.has(id) : role === 'user'))
  return messages.slice(last + 1)
}

const RUNNING = { type: 'running' } as const

/** Calls without result that the client is to run, or that somebody is asked about, are told when the run waits. */
export function begun(
  { standing, pending = [] }: Committed,
  since: readonly Message[],
  clientTools: ReadonlySet<string>,
): readonly Fact[] {
  const open = new Set(standing.openCalls.map(({ message_id }) => message_id))
  const asked = new Set(pending.map(({ tool_use_id }) => tool_use_id))
  const brought = standing.openCalls.filter(({ id, name }) => clientTools.has(name) && !asked.has(id))
  const waiting = [...pending, ...brought.map(({ id }): Pending => ({ tool_use_id: id, kind: 'client' }))]
  // Whom the run waits for is named by calls, and an earlier call may have the same id.
  const first = since.findIndex(({ id }) => open.has(id))
  const from = first < 0 ? since.length : first
  const earlier = fold({ messages: since.slice(0, from), state: RUNNING }, { state: RUNNING, openCalls: [] }, FOLD)
  const later: Commit = { messages: since.slice(from), state: RUNNING, pending: waiting }
  return [...earlier.facts, ...fold(later, earlier.after, FOLD).facts]
}

const FOLD = { reasoning: 'text' } as const
