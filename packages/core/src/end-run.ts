/** The last commit of a run. */
import { match } from 'ts-pattern'
import type { EndCause, RunState } from './run.ts'
import { type Commit, type Message, type OpenCall, type Standing, callsOf } from './thread.ts'

/**
 * The last commit of a run: every call that is still open gets an error result that says why, so that the thread can be used
 * again. `partial` is the message that was being written when the run ended.
 */
export function endRun(standing: Standing, cause: EndCause, partial?: Message): Commit {
  const state: RunState = { type: 'ended', cause }
  const open = partial ? [...standing.openCalls, ...callsOf(partial)] : standing.openCalls
  const results = open.map((call) => unfinishedResult(call, cause))
  return { messages: partial ? [partial, ...results] : results, state }
}

function unfinishedResult(call: OpenCall, cause: EndCause): Message {
  return {
    id: `tool-${call.id}`,
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        tool_use_id: call.id,
        content: [{ type: 'text', text: `No result: ${reasonOf(cause)}.` }],
        is_error: true,
        ...(cause.type === 'cancelled' ? { cancelled: true } : {}),
      },
    ],
  }
}

function reasonOf(cause: EndCause): string {
  return match(cause)
    .returnType<string>()
    .with({ type: 'natural_end' }, { type: 'behavior_requested' }, () => 'the run ended first')
    .with({ type: 'max_steps' }, () => 'the run had used up its steps')
    .with({ type: 'stopped' }, ({ code, detail }) => `the run was stopped (${detail ?? code})`)
    .with({ type: 'cancelled' }, () => 'the run was cancelled')
    .with({ type: 'blocked' }, ({ reason }) => `the run was blocked (${reason})`)
    .with({ type: 'error' }, ({ failure }) => `the run failed (${failure.message ?? failure.code})`)
    .with({ type: 'indeterminate' }, () => 'it is not known how the run ended')
    .exhaustive()
}
