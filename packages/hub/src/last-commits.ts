/** How the hub itself ends a run: every open call has its result, and behind these stands what was said and no commit tells yet. */
import { type Commit, type EndCause, endRun, type Message, type Standing } from '@factwire/core'

/** What was said to a run and may be in no commit of it. */
export type Said = (runId: string) => Promise<readonly Message[]>

/** `told` are the messages of the thread. */
export function lastCommits(
  standing: Standing,
  cause: EndCause,
  told: readonly Message[],
  said: readonly Message[],
  documents: Pick<Commit, 'snapshot' | 'activities'> = {},
): readonly Commit[] {
  const end: Commit = { ...endRun(standing, cause), ...documents }
  const known = new Set(told.map(({ id }) => id))
  const unheard = said.filter(({ id }) => !known.has(id))
  if (unheard.length === 0) return [end]
  const detail = { messages: unheard.map(({ id }) => id) }
  const last: Commit = {
    ...end,
    messages: [...end.messages, ...unheard],
    continuation: { steered: true, detail },
  }
  // What a segment begins with is told as its history, and this comes after it.
  return standing.state?.type === 'running' ? [last] : [{ messages: [], state: { type: 'running' } }, last]
}
