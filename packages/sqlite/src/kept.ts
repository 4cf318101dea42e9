/**
 * What an agent's loop keeps beside its facts, as `@factwire/runtime` wants its journal and its checkpoints. The types stand here by
 * themselves, because whoever has another loop needs no runtime.
 */
import type { Decision, EndCause, Json, Message } from '@factwire/core'

export type JournalNote =
  /** Somebody decided about a call that waits. */
  | { readonly type: 'decided'; readonly decision: Decision }
  /** A message came that is not in the thread yet. */
  | { readonly type: 'said'; readonly message: Message }
  /** The run was found running, and goes on in another process. */
  | { readonly type: 'resumed' }
  /** Somebody wants the run to end. */
  | { readonly type: 'stopped'; readonly cause: EndCause }

/** Notes and claims of runs. Those of a run go with the commit that ends it, whoever commits that. */
export interface SqliteJournal {
  read(runId: string): Promise<readonly JournalNote[]>
  /** On the disk when it settles. */
  add(runId: string, notes: readonly JournalNote[]): Promise<void>
  /** True for the first that claims the call, and on the disk when it settles. */
  claim(runId: string, callId: string): Promise<boolean>
  clear(runId: string): Promise<void>
}

/** An answer in the making. */
export interface AnswerCheckpoint {
  readonly run_id: string
  readonly thread_id: string
  readonly after: string | null
  readonly upstream_model: string
  readonly partial_text: string
  readonly completed_tool_calls: readonly { readonly id: string; readonly name: string; readonly arguments: Json }[]
  readonly in_flight_tool: { readonly id: string; readonly name: string; readonly partial_args: string } | null
  readonly updated_at_ms: number
}

/** The last checkpoint of each run, which goes with the run's end too. */
export interface SqliteCheckpoints {
  put(checkpoint: AnswerCheckpoint): Promise<void>
  get(runId: string): Promise<AnswerCheckpoint | undefined>
  delete(runId: string): Promise<void>
}
