/**
 * Parsed JSON of unknown origin in, events and stored messages out, exactly as their interfaces say.
 *
 * What is not in the interface is dropped, what contradicts it is refused with the path where. JSON-valued fields pass as they are.
 */
import type { TokenUsage } from './content.ts'
import type { AgentEvent, Delta, Disposition, Fact } from './event.ts'
import { type JsonLimits, type JsonPatch, parseJson } from './json.ts'
import { content } from './read-content.ts'
import {
  amount,
  arrayOf,
  boolean,
  count,
  integer,
  json,
  oneOf,
  optional,
  optionalJson,
  otherwise,
  record,
  string,
  variants,
} from './read-value.ts'
import type { EndCause, Failure, Pending } from './run.ts'

/**
 * Reads one event.
 *
 * @throws FactwireError `invalid_value`, with the path in the event.
 */
export function parseEvent(value: unknown): AgentEvent {
  return event(value, '')
}

/**
 * Reads one event from its JSON text.
 *
 * @throws FactwireError as `parseJson` and `parseEvent` do.
 */
export function parseEventText(text: string, limits?: JsonLimits): AgentEvent {
  return parseEvent(parseJson(text, limits))
}

// ── Parts of facts ──

const disposition = oneOf<Disposition>('executed', 'pending_client', 'pending_builtin')

const usage = record<TokenUsage>({
  prompt_tokens: optional(integer),
  completion_tokens: optional(integer),
  total_tokens: optional(integer),
  cache_read_tokens: optional(integer),
  cache_creation_tokens: optional(integer),
  thinking_tokens: optional(integer),
})

const pending = record<Pending>({
  tool_use_id: string,
  kind: oneOf('client', 'approval'),
  approval_id: optional(string),
  message: optional(string),
  parameters: optionalJson,
  response_schema: optionalJson,
  expires_at: optional(string),
})

const cause = variants<EndCause, 'type'>('type', {
  natural_end: {},
  behavior_requested: {},
  max_steps: { code: optional(string) },
  stopped: { code: string, detail: optional(string) },
  cancelled: {},
  blocked: { reason: string },
  error: { failure: record<Failure>({ code: string, message: optional(string) }) },
  indeterminate: {},
})

const fact = variants<Fact, 'type'>(
  'type',
  {
    run_started: {},
    assistant_message: { id: string, content },
    assistant_thinking: {
      message_id: optional(string),
      text: optional(string),
      signature: optional(string),
      encrypted: optional(string),
    },
    tool_call: {
      id: string,
      name: string,
      input: json,
      disposition,
      message_id: optional(string),
      raw_input: optional(string),
    },
    tool_result: {
      id: string,
      content,
      is_error: otherwise(boolean, false),
      message_id: optional(string),
      name: optional(string),
      data: optionalJson,
      denied: optional(boolean),
      cancelled: optional(boolean),
    },
    awaiting: { pending_tool_use_id: otherwise(string, null), pending: optional(arrayOf(pending)) },
    continuation: { steered: boolean, detail: json },
    run_finished: { exhausted: boolean, cause: optional(cause), result: optionalJson },
    run_failed: { code: string, message: string },
    step_ended: { message_id: string },
    inference_completed: { model: string, usage: optional(usage), duration_ms: amount },
    state_snapshot: { snapshot: json },
    activity_snapshot: { message_id: string, activity_type: string, content: json, replace: optional(boolean) },
  },
  new Map([['waiting', 'awaiting']]),
)

// ── Parts of deltas ──

const withValue = { path: string, value: json }
const withSource = { path: string, from: string }
const patch = arrayOf(
  variants<JsonPatch, 'op'>('op', {
    add: withValue,
    replace: withValue,
    test: withValue,
    remove: { path: string },
    move: withSource,
    copy: withSource,
  }),
)

const delta = variants<Delta, 'type'>('type', {
  text_delta: { delta: string, message_id: optional(string), offset: optional(count) },
  reasoning_delta: { delta: string, message_id: optional(string), offset: optional(count) },
  tool_call_delta: {
    id: string,
    name: string,
    args_delta: string,
    message_id: optional(string),
    offset: optional(count),
    disposition: optional(disposition),
  },
  step_started: { message_id: string },
  tool_output_delta: { id: string, name: string, delta: string },
  state_delta: { delta: patch, revision: optional(count) },
  activity_delta: { message_id: string, activity_type: string, patch, revision: optional(count) },
  tool_call_cancelled: { id: string, name: string, reason: string },
  stream_reset: { reason: string },
})

const event = variants<AgentEvent, 'tier'>(
  'tier',
  { fact: { event: fact }, delta: { event: delta } },
  new Map([['progress', 'delta']]),
)
