/** Turns how a response ended, and what it had said by then, into the commit that ends the run or hands it to the client. */
import { type Commit, type EndCause, endRun, type Failure, isObject, type Message } from '@factwire/core'
import type { Left } from './assembly.ts'
import { failureOf } from './failure.ts'

export interface Terminal {
  readonly type: string
  readonly response: { readonly [key: string]: unknown }
  /** The model would not answer. */
  readonly refused: boolean
  /** Something was said of a message that had been given already. */
  readonly late: boolean
}

/** Why it ends; or that it does not, because there are calls to run or to agree to. */
export function causeOf({ type, response, refused, late }: Terminal, { pending, unusable }: Left): EndCause | 'waits' {
  const { status, error, incomplete_details: details } = response
  if (type === 'response.failed' || status === 'failed') return failed(failureOf(error))
  if (
    type === 'response.incomplete' ||
    type === 'response.cancelled' ||
    status === 'incomplete' ||
    status === 'cancelled'
  )
    return incomplete(type === 'response.cancelled' ? 'cancelled' : status, details)
  if (late) return failed(LATE)
  if (pending.length > 0 || unusable.size > 0) return 'waits'
  return refused ? { type: 'blocked', reason: 'refusal' } : { type: 'natural_end' }
}

const LATE: Failure = { code: 'out_of_order', message: 'an item was changed after its message was over' }

function incomplete(status: unknown, details: unknown): EndCause {
  const reason = isObject(details) ? details['reason'] : undefined
  if (status === 'cancelled' || reason === 'cancelled') return { type: 'cancelled' }
  switch (reason) {
    case 'max_output_tokens':
    case 'max_tokens':
      return { type: 'max_steps', code: 'length' }
    case 'max_messages':
      return { type: 'max_steps', code: 'max_messages' }
    case 'content_filter':
      return { type: 'blocked', reason: 'content_filter' }
    case 'steered':
      return { type: 'stopped', code: 'steered' }
    default:
      return failed({
        code: 'unknown_finish',
        message: `the response is incomplete (${typeof reason === 'string' ? reason : 'no reason'})`,
      })
  }
}

export const failed = (failure: Failure): EndCause => ({ type: 'error', failure })

export function ending(left: Left, cause: EndCause | 'waits'): Commit {
  const { message, pending, open, unusable } = left
  if (cause !== 'waits') return endRun({ openCalls: open }, cause, message)
  const waits = new Set(pending.map(({ tool_use_id }) => tool_use_id))
  const made = message?.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])) ?? []
  // What cannot be run has its result at once, so that it is never open and never run.
  const lost = [...open.map(({ id }) => id), ...made].filter((id) => !waits.has(id))
  const results = lost.map((id) => lostResult(id, unusable.get(id) ?? 'the response ended first'))
  return { messages: message ? [message, ...results] : results, state: { type: 'awaiting' }, pending }
}

function lostResult(callId: string, why: string): Message {
  return {
    id: `tool-${callId}`,
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        tool_use_id: callId,
        content: [{ type: 'text', text: `No result: ${why}.` }],
        is_error: true,
      },
    ],
  }
}
