/**
 * The port of answers in the making: what of an answer came before the process died is not asked for again.
 *
 * A checkpoint is a help, never the truth. One that is lost costs an answer, one that is late is known by its place in the thread.
 */
import type { Json } from '@factwire/core'
import { completeInput, isComplete, type Said, type SaidCall } from './said.ts'

/** As Awaken has it; `after` is the id of the last committed message, to which this would be the next. */
export interface StreamCheckpoint {
  readonly run_id: string
  readonly thread_id: string
  readonly after: string | null
  readonly upstream_model: string
  readonly partial_text: string
  readonly completed_tool_calls: readonly { readonly id: string; readonly name: string; readonly arguments: Json }[]
  readonly in_flight_tool: { readonly id: string; readonly name: string; readonly partial_args: string } | null
  readonly updated_at_ms: number
}

/** What they throw is not heard, and never breaks a run. */
export interface StreamCheckpointStore {
  /** In the place of an earlier one of the run. */
  put(checkpoint: StreamCheckpoint): Promise<void>
  get(runId: string): Promise<StreamCheckpoint | undefined>
  delete(runId: string): Promise<void>
}

/** For tests, and for hosts whose answers may die with the process. */
export function memoryCheckpoints(): StreamCheckpointStore {
  const kept = new Map<string, StreamCheckpoint>()
  return {
    put: async (checkpoint) => void kept.set(checkpoint.run_id, checkpoint),
    get: async (runId) => kept.get(runId),
    delete: async (runId) => void kept.delete(runId),
  }
}

/** The checkpoints of a run. What they tell of is asked for when the store has room for it. */
export interface Checkpointer {
  /** Keeps what there is. */
  flush(now: () => StreamCheckpoint): void
  /** The run has ended: there is nothing to go on with. */
  clear(): Promise<void>
}

/** One put at a time: while one is on its way, only the newest waits. */
export function checkpointer(store: StreamCheckpointStore, runId: string): Checkpointer {
  let wanted: (() => StreamCheckpoint) | undefined
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    while (wanted) {
      const checkpoint = wanted()
      wanted = undefined
      await quietly(() => store.put(checkpoint))
    }
    writing = undefined
  }

  return {
    flush(now) {
      wanted = now
      writing ??= write()
    },
    async clear() {
      wanted = undefined
      await writing
      await quietly(() => store.delete(runId))
    },
  }
}

export async function quietly<Value>(attempt: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await attempt()
  } catch {
    return undefined
  }
}

export function callsFor(calls: Iterable<SaidCall>): Pick<StreamCheckpoint, 'completed_tool_calls' | 'in_flight_tool'> {
  const all = [...calls]
  const last = all.findLast((call) => !isComplete(call))
  return {
    completed_tool_calls: all.flatMap(({ id, name, args }) => {
      const input = completeInput(args)
      return input === undefined ? [] : [{ id, name, arguments: input }]
    }),
    in_flight_tool: last ? { id: last.id, name: last.name, partial_args: last.args } : null,
  }
}

/** What had been said, as if an answer had just broken off. */
export function saidBefore({ partial_text, completed_tool_calls, in_flight_tool }: StreamCheckpoint): Said {
  const calls = completed_tool_calls.map(({ id, name, arguments: input }) => ({
    id,
    name,
    args: JSON.stringify(input),
  }))
  if (in_flight_tool) {
    const { id, name, partial_args: args } = in_flight_tool
    calls.push({ id, name, args })
  }
  return { text: partial_text, thought: '', calls: new Map(calls.map((call) => [call.id, call])) }
}
