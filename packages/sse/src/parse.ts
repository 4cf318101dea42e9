/**
 * Parsed JSON of unknown origin in, a flat event out.
 *
 * Unknown fields are dropped, an unknown `event_type` says nothing; whatever else is wrong throws `invalid_value` with
 * its place. Free values are kept as they are.
 */
import type { RunIdentity, ToolCallOutcome } from '@factwire/core'
import {
  absent,
  amount,
  array,
  given,
  json,
  object,
  oneOf,
  optionalJson,
  optionalString,
  refuse,
  string,
  type Unread,
} from './field.ts'
import { flatMessageOf } from './parse-messages.ts'
import { identityOf, patchOf, terminationOf, toolResultOf, usageOf } from './parse-parts.ts'
import type { FlatEvent } from './wire.ts'

const OUTCOMES: readonly ToolCallOutcome[] = ['succeeded', 'failed', 'suspended']

/**
 * Undefined for an `event_type` that is not known here.
 *
 * @throws FactwireError `invalid_value` when it is no event, or one whose fields are wrong.
 */
export function parseFlat(value: unknown): FlatEvent | undefined {
  const from = object(value, '')
  const event_type = string(from, 'event_type')
  switch (event_type) {
    case 'text_delta':
    case 'reasoning_delta':
      return { event_type, delta: string(from, 'delta') }
    case 'tool_call_delta':
      return { event_type, id: string(from, 'id'), args_delta: string(from, 'args_delta') }
    case 'tool_call_start':
      return { event_type, id: string(from, 'id'), name: string(from, 'name') }
    case 'tool_call_ready':
      return { event_type, id: string(from, 'id'), name: string(from, 'name'), arguments: json(from, 'arguments') }
    case 'tool_call_done':
      return {
        event_type,
        id: string(from, 'id'),
        message_id: optionalString(from, 'message_id') ?? '',
        result: toolResultOf(from['result'], 'result'),
        outcome: oneOf(from, 'outcome', OUTCOMES, '', 'succeeded'),
      }
    case 'tool_call_stream_delta':
      return { event_type, id: string(from, 'id'), name: string(from, 'name'), delta: string(from, 'delta') }
    case 'tool_call_resumed':
      return { event_type, target_id: string(from, 'target_id'), result: json(from, 'result') }
    case 'tool_call_cancel':
      return { event_type, id: string(from, 'id'), name: string(from, 'name'), reason: string(from, 'reason') }
    case 'stream_reset':
      return { event_type, reason: string(from, 'reason') }
    case 'step_start':
      return { event_type, message_id: optionalString(from, 'message_id') ?? '' }
    case 'step_end':
      return { event_type }
    case 'run_start':
      return {
        event_type,
        thread_id: string(from, 'thread_id'),
        run_id: string(from, 'run_id'),
        ...given('parent_run_id', optionalString(from, 'parent_run_id')),
        ...given('identity', optionalIdentity(from)),
      }
    case 'run_finish':
      return {
        event_type,
        thread_id: string(from, 'thread_id'),
        run_id: string(from, 'run_id'),
        ...given('identity', optionalIdentity(from)),
        ...given('result', optionalJson(from, 'result')),
        termination: terminationOf(from['termination'], 'termination'),
      }
    case 'reasoning_encrypted_value':
      return { event_type, encrypted_value: string(from, 'encrypted_value') }
    case 'inference_complete':
      return {
        event_type,
        model: string(from, 'model'),
        ...given('usage', absent(from['usage']) ? undefined : usageOf(from['usage'], 'usage')),
        duration_ms: amount(from, 'duration_ms'),
      }
    case 'messages_snapshot':
      return { event_type, messages: array(from, 'messages').flatMap(flatMessageOf) }
    case 'activity_snapshot':
      return {
        event_type,
        message_id: string(from, 'message_id'),
        activity_type: string(from, 'activity_type'),
        content: json(from, 'content'),
        ...given('replace', optionalBoolean(from, 'replace')),
      }
    case 'activity_delta':
      return {
        event_type,
        message_id: string(from, 'message_id'),
        activity_type: string(from, 'activity_type'),
        patch: patchOf(from, 'patch'),
      }
    case 'state_snapshot':
      return { event_type, snapshot: json(from, 'snapshot') }
    case 'state_delta':
      return { event_type, delta: patchOf(from, 'delta') }
    case 'error':
      return { event_type, message: string(from, 'message'), ...given('code', optionalString(from, 'code')) }
    default:
      return undefined
  }
}

function optionalIdentity(from: Unread): RunIdentity | undefined {
  return absent(from['identity']) ? undefined : identityOf(from['identity'], 'identity')
}

function optionalBoolean(from: Unread, key: string): boolean | undefined {
  const value = from[key]
  if (absent(value)) return undefined
  return typeof value === 'boolean' ? value : refuse(key, 'true or false')
}
