/**
 * Parsed JSON of unknown origin in, a flat event out.
 *
 * Unknown fields are dropped, an unknown `event_type` says nothing; whatever else is wrong throws `invalid_value` with
 * its place. Free values are kept as they are.
 */
import {
  amount,
  arrayOf,
  boolean,
  isObject,
  json,
  jsonPatch,
  known,
  ofProtocol,
  oneOf,
  optional,
  otherwise,
  string,
  tokenUsage,
  type ToolCallOutcome,
} from '@factwire/core'
import { identity, termination, toolResult } from './parse-parts.ts'
import type { FlatEvent } from './wire.ts'

const delta = { delta: string }
const call = { id: string, name: string }
const ids = { thread_id: string, run_id: string }

const event = ofProtocol(
  'sse',
  known<FlatEvent, 'event_type'>('event_type', {
    text_delta: delta,
    reasoning_delta: delta,
    tool_call_delta: { id: string, args_delta: string },
    tool_call_start: call,
    tool_call_ready: { ...call, arguments: json },
    tool_call_done: {
      id: string,
      message_id: otherwise(string, ''),
      result: toolResult,
      outcome: otherwise(oneOf<ToolCallOutcome>('succeeded', 'failed', 'suspended'), 'succeeded'),
    },
    tool_call_stream_delta: { ...call, ...delta },
    tool_call_resumed: { target_id: string, result: json },
    tool_call_cancel: { ...call, reason: string },
    stream_reset: { reason: string },
    step_start: { message_id: otherwise(string, '') },
    step_end: {},
    run_start: { ...ids, parent_run_id: optional(string), identity: optional(identity) },
    run_finish: { ...ids, identity: optional(identity), result: optional(json), termination },
    reasoning_encrypted_value: { encrypted_value: string },
    inference_complete: { model: string, usage: optional(tokenUsage), duration_ms: amount },
    messages_snapshot: { messages: arrayOf(json) },
    activity_snapshot: { message_id: string, activity_type: string, content: json, replace: optional(boolean) },
    activity_delta: { message_id: string, activity_type: string, patch: jsonPatch },
    state_snapshot: { snapshot: json },
    state_delta: { delta: jsonPatch },
    error: { message: string, code: optional(string) },
  }),
)

/**
 * Undefined for an `event_type` that is not known here.
 *
 * @throws FactwireError `invalid_value` when it is no event, or one whose fields are wrong.
 */
export function parseFlat(value: unknown): FlatEvent | undefined {
  return event(value, '')
}

/** The same for fragments, which are nearly all of a stream. Undefined for what is none, or not as it should be. */
export function parseFragment(value: unknown): FlatEvent | undefined {
  if (!isObject(value)) return undefined
  const { event_type } = value
  switch (event_type) {
    case 'text_delta':
    case 'reasoning_delta': {
      const { delta } = value
      return typeof delta === 'string' ? { event_type, delta } : undefined
    }
    case 'tool_call_delta': {
      const { id, args_delta } = value
      return typeof id === 'string' && typeof args_delta === 'string' ? { event_type, id, args_delta } : undefined
    }
    default:
      return undefined
  }
}
