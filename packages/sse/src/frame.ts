/** The events that begin and end a run, that end a call, and that tell an activity or a model call, from what is known of them. */
import type {
  Activity,
  CallItem,
  Inference,
  Json,
  Pending,
  RunContext,
  RunFailed,
  RunFinished,
  TerminationReason,
  ToolResultFact,
} from '@factwire/core'
import { pendingResult, toolResult, unfinishedResult } from './outcome.ts'
import type {
  ActivitySnapshotEvent,
  InferenceCompleteEvent,
  RunFinishEvent,
  RunStartEvent,
  ToolCallDoneEvent,
} from './wire.ts'

export function runStart({ threadId, runId, parentRunId, identity }: RunContext): RunStartEvent {
  return {
    event_type: 'run_start',
    thread_id: threadId,
    run_id: runId,
    ...(parentRunId === undefined ? {} : { parent_run_id: parentRunId }),
    ...(identity ? { identity } : {}),
  }
}

export function runFinish(
  { threadId, runId, identity }: RunContext,
  result: Json | undefined,
  termination: TerminationReason,
): RunFinishEvent {
  return {
    event_type: 'run_finish',
    thread_id: threadId,
    run_id: runId,
    ...(identity ? { identity } : {}),
    ...(result === undefined ? {} : { result }),
    termination,
  }
}

export function activitySnapshot({ message_id, activity_type, content, replace }: Activity): ActivitySnapshotEvent {
  const again = replace === undefined ? {} : { replace }
  return { event_type: 'activity_snapshot', message_id, activity_type, content, ...again }
}

export function inferenceComplete({ model, usage, duration_ms }: Inference): InferenceCompleteEvent {
  return { event_type: 'inference_complete', model, ...(usage ? { usage } : {}), duration_ms }
}

export function doneCall({ wireId, name }: CallItem, fact: ToolResultFact): ToolCallDoneEvent {
  return {
    event_type: 'tool_call_done',
    id: wireId,
    message_id: fact.message_id ?? '',
    result: toolResult(fact, name),
    outcome: fact.is_error ? 'failed' : 'succeeded',
  }
}

export function suspendedCall(
  wireId: string,
  pending: Pending,
  { name, input }: { readonly name: string; readonly input: Json },
): ToolCallDoneEvent {
  return {
    event_type: 'tool_call_done',
    id: wireId,
    message_id: '',
    result: pendingResult(pending, name, input),
    outcome: 'suspended',
  }
}

/** Every call that was announced ends with its run, also one that a careless producer left without result. */
export function unfinishedCalls(
  calls: readonly CallItem[],
  end: RunFinished | RunFailed,
): readonly ToolCallDoneEvent[] {
  const cancelled = end.type === 'run_finished' && end.cause?.type === 'cancelled'
  const message = cancelled ? 'the run was cancelled first' : 'the run ended first'
  return calls.map(({ wireId, name }) => ({
    event_type: 'tool_call_done',
    id: wireId,
    message_id: '',
    result: unfinishedResult(name, message, cancelled),
    outcome: 'failed',
  }))
}
