/** How the events that end a stream end a run, and whom a suspended call waits for. */
import {
  type EndCause,
  type Json,
  type Pending,
  type SuspendTicket,
  type TerminationReason,
  isJsonObject,
} from '@factwire/core'
import { given } from './given.ts'

/** Undefined for a run that is only suspended. */
export function causeOf(termination: TerminationReason, result: Json | undefined): EndCause | undefined {
  switch (termination.type) {
    case 'natural_end':
    case 'behavior_requested':
    case 'cancelled':
      return { type: termination.type }
    case 'stopped': {
      const { code, detail } = termination.value
      // The first is this wire's word for having used up its steps, the second a model's for its longest answer.
      if (code === 'max_rounds') return { type: 'max_steps', ...given('code', detail) }
      if (code === 'length') return { type: 'max_steps', code }
      return { type: 'stopped', code, ...given('detail', detail) }
    }
    case 'blocked':
      return { type: 'blocked', reason: termination.value }
    case 'error':
      return { type: 'error', failure: { code: codeOf(result) ?? 'error', message: termination.value } }
    case 'suspended':
      return undefined
  }
}

/** What kind of error ended the run, where its result says so. */
export function codeOf(result: Json | undefined): string | undefined {
  return isJsonObject(result) && typeof result['code'] === 'string' ? result['code'] : undefined
}

/** What the run as a whole gave, beside the text and status that every result has. */
export function outputOf(result: Json | undefined): Json | undefined {
  return isJsonObject(result) && Object.hasOwn(result, 'output') ? result['output'] : undefined
}

/** Without a ticket it waits for the client to run it. */
export function pendingOf(callId: string, ticket: SuspendTicket | undefined): Pending {
  if (!ticket) return { tool_use_id: callId, kind: 'client' }
  const { id, message, parameters, response_schema } = ticket.suspension
  return {
    tool_use_id: callId,
    kind: ticket.resume_mode === 'use_decision_as_tool_result' ? 'client' : 'approval',
    ...given('approval_id', id === '' || id === callId ? undefined : id),
    ...given('message', message || undefined),
    ...given('parameters', parameters),
    ...given('response_schema', response_schema),
  }
}
