/** What a run has in its hands: what its host gave, and the parts that the loop is made of. */
import type { ClientTool, EndCause, Failure, Pending, RunWriter, Written } from '@factwire/core'
import type { Checkpointer, StreamCheckpointStore } from './checkpoint.ts'
import type { Clock } from './clock.ts'
import type { Inbox } from './inbox.ts'
import type { Notes } from './journal.ts'
import type { Limits } from './limits.ts'
import type { Provider } from './model.ts'
import type { Stop } from './stop.ts'
import type { Tools } from './verdict.ts'

export interface Setting {
  readonly model: Provider
  readonly fetch: typeof fetch
  readonly runId: string
  readonly threadId: string
  readonly run: RunWriter
  readonly notes: Notes
  readonly inbox: Inbox
  readonly tools: Tools
  /** What the model is told of them. */
  readonly offered: readonly ClientTool[]
  /** What the open calls were said to wait for, by their ids. */
  readonly pending: ReadonlyMap<string, Pending>
  readonly checkpoints: StreamCheckpointStore
  readonly progress: Checkpointer
  readonly clock: Clock
  readonly limits: Limits
  /** Aborts when the run is to end, or nothing can be written any more. */
  readonly stop: Stop
  /** Why it is to end. */
  cause(): EndCause
  /** What is committed of a failure. */
  readonly told: (failure: Failure) => Failure
  /** How often the model has answered in this run, before this process had it. */
  readonly stepsBefore: number
  publish(written: Written): Promise<void>
}
