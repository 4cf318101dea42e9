/** The results of calls that have none: a client counts a call without result as one that it has to run. */
import type { CallItem, RunFailed, RunFinished } from '@factwire/core'
import type { ToolCallResultEvent } from './wire.ts'

export interface Unanswered {
  /** Why there is no result. */
  readonly content: string
  readonly cancelled: boolean
}

export function unansweredResult(
  messageId: string,
  { wireId }: CallItem,
  { content, cancelled }: Unanswered,
): ToolCallResultEvent {
  return {
    type: 'TOOL_CALL_RESULT',
    messageId,
    toolCallId: wireId,
    content,
    role: 'tool',
    metadata: { factwire: { is_error: true, ...(cancelled ? { cancelled } : {}) } },
  }
}

/** Every call that was announced ends with its run, also one that a careless producer left without result. */
export function unfinishedResults(
  calls: readonly CallItem[],
  end: RunFinished | RunFailed,
  take: (messageId: string) => string,
): readonly ToolCallResultEvent[] {
  const cancelled = end.type === 'run_finished' && end.cause?.type === 'cancelled'
  const content = cancelled ? 'the run was cancelled first' : 'the run ended first'
  return calls.map((call) => unansweredResult(take(`tool-${call.wireId}`), call, { content, cancelled }))
}
