/** Turns how a stream ended, and what it had said by then, into the commit that ends the run or hands it to the client. */
import { type Commit, type EndCause, endRun, type Failure, type Message, type ToolResultBlock } from '@factwire/core'
import type { Said } from './answer.ts'
import { causeOf } from './stop.ts'

export interface Seen {
  readonly stopReason: string | undefined
  /** The end mark. */
  readonly done: boolean
  readonly failure: Failure | undefined
}

export function ending(said: Said, seen: Seen): Commit {
  const { message, results, openCalls } = said
  const cause = seen.failure ? failed(seen.failure) : whyOf(said, seen)
  const messages = message ? [message, ...results] : results
  if (cause === 'calls') return awaiting(said, messages)
  const end = endRun({ openCalls }, cause)
  return { ...end, messages: [...messages, ...end.messages] }
}

/** Why the run ends; or that it does not, because there are calls to run. */
function whyOf({ message, pending, unusable, nameless }: Said, { stopReason, done }: Seen): EndCause | 'calls' {
  // Whatever it stopped for: more of the answer may have been on its way.
  if (!done) return fail('stream_truncated', 'the stream ended before the answer was finished')
  if (stopReason === undefined && !message) return fail('empty_stream', 'the stream held no answer')
  if (stopReason === undefined) return fail('unknown_finish', 'the answer ended without a reason')
  // Some servers stop with another reason, although there are calls.
  const cause = causeOf(stopReason)
  if (cause !== 'calls' && cause.type !== 'natural_end') return cause
  if (pending.length > 0 || unusable.length > 0) return 'calls'
  if (nameless) return fail('invalid_tool_call', 'a tool call came without a name')
  return cause === 'calls' ? fail('missing_tool_calls', 'tool calls were announced and none came') : cause
}

function fail(code: string, message: string): EndCause {
  return failed({ code, message })
}

function failed(failure: Failure): EndCause {
  return { type: 'error', failure }
}

/** The client runs what can be run. A call that cannot has its result at once, so that it is never open and never run. */
function awaiting({ unusable, pending }: Said, messages: readonly Message[]): Commit {
  return { messages: [...messages, ...unusable.map(refused)], state: { type: 'awaiting' }, pending }
}

function refused(callId: string): Message {
  const result: ToolResultBlock = {
    type: 'tool_result',
    tool_use_id: callId,
    content: [{ type: 'text', text: 'No result: the arguments of the call are not valid JSON.' }],
    is_error: true,
  }
  return { id: `tool-${callId}`, role: 'tool', content: [result] }
}
