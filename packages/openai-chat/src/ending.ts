/** Turns how a stream ended, and what it had said by then, into the commit that ends the run or hands it to the client. */
import {
  type Commit,
  type ContentBlock,
  type EndCause,
  endRun,
  type Failure,
  type Message,
  type Pending,
} from '@factwire/core'
import type { Said } from './answer.ts'
import type { CommittedCall } from './calls.ts'
import type { Finish } from './finish.ts'

export interface Seen {
  readonly finish: Finish | undefined
  /** The end mark. */
  readonly done: boolean
  /** Anything of an answer, an empty one included. */
  readonly answered: boolean
  /** Something of the answer came after the last finish. */
  readonly late: boolean
  readonly failure: Failure | undefined
}

export function ending(messageId: string, said: Said, seen: Seen): Commit {
  const content = contentOf(said)
  // A thread has no use for an empty message.
  const message: Message | undefined = content.length === 0 ? undefined : { id: messageId, role: 'assistant', content }
  const cause = seen.failure ? failed(seen.failure) : causeOf(said, seen)
  return cause === 'calls' ? awaiting(message, said.calls) : endRun({ openCalls: [] }, cause, message)
}

/** Why the run ends; or that it does not, because there are calls to run. */
function causeOf(said: Said, { finish, done, answered, late }: Seen): EndCause | 'calls' {
  // A finish may come early; then only another one, or the end mark, tells that nothing is missing. A failure is one in any case.
  if (!done && (!finish || (late && finish.kind !== 'error'))) {
    return fail('stream_truncated', 'the stream ended before the answer was finished')
  }
  if (!finish && !answered) return fail('empty_stream', 'the stream held no answer')
  switch (finish?.kind) {
    case 'error':
      return fail(finish.code ?? 'provider_error', `the provider finished with "${finish.raw.slice(0, 200)}"`)
    case 'filter':
      return { type: 'blocked', reason: 'content_filter' }
    case 'length':
      return { type: 'max_steps', code: 'length' }
    // Some servers say stop although there are calls, and some say nothing: then the end mark after an answer stands for it.
    case 'calls':
    case 'stop':
    case undefined:
      if (said.calls.length > 0) return 'calls'
      if (said.nameless) return fail('invalid_tool_call', 'a tool call came without a name')
      if (finish?.kind === 'calls') return fail('missing_tool_calls', 'tool calls were announced and none came')
      return said.refused ? { type: 'blocked', reason: 'refusal' } : { type: 'natural_end' }
  }
}

function fail(code: string, message: string): EndCause {
  return failed({ code, message })
}

function failed(failure: Failure): EndCause {
  return { type: 'error', failure }
}

/** The client runs what can be run. A call that cannot has its result at once, so that it is never open and never run. */
function awaiting(message: Message | undefined, calls: readonly CommittedCall[]): Commit {
  const pending: Pending[] = calls.filter(({ usable }) => usable).map(({ id }) => ({ tool_use_id: id, kind: 'client' }))
  const refused = calls.filter(({ usable }) => !usable).map(({ id }) => unusable(id))
  return { messages: message ? [message, ...refused] : refused, state: { type: 'awaiting' }, pending }
}

function unusable(callId: string): Message {
  return {
    id: `tool-${callId}`,
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        tool_use_id: callId,
        content: [{ type: 'text', text: 'No result: the arguments of the call are not valid JSON.' }],
        is_error: true,
      },
    ],
  }
}

function contentOf({ thinking, text, calls }: Said): ContentBlock[] {
  const content: ContentBlock[] = [...thinking, ...text]
  for (const { id, name, input, raw_input, signature } of calls) {
    // A signature of the call itself stands right before it.
    if (signature !== undefined) content.push({ type: 'thinking', text: '', signature })
    content.push({ type: 'tool_use', id, name, input, ...(raw_input === undefined ? {} : { raw_input }) })
  }
  return content
}
