import type { AgentEvent, Committed, Delta, Encodable, RunContext } from '@factwire/core'
import { respond } from '@factwire/sse'

/** What a publisher keeps of a live run. */
export interface LiveRun {
  readonly context: RunContext
  /** The committed thread, this run's commits included, and the model calls of this segment. */
  readonly committed: Committed
  /** The deltas since the last commit, in order. */
  readonly open: readonly Delta[]
  /** How many events the run has had. */
  readonly count: number
  /** The events from now on, for one reader. */
  follow(): AsyncIterable<AgentEvent>
}

/** For a client that comes in the middle: everything so far, then what follows. */
export function join<Frame>(
  protocol: Encodable<Frame>,
  { context, committed, open, count, follow }: LiveRun,
): Response {
  return respond(protocol, follow(), context, { join: { committed, open }, seq: count })
}
