/**
 * Parsed JSON of unknown origin in, events and stored messages out, exactly as their interfaces say.
 *
 * What is not in the interface is dropped, what contradicts it is refused with the path where. JSON-valued fields pass as they are.
 */
import type { AgentEvent, Delta, Disposition, Fact } from './event.ts'
import { type JsonLimits, parseUnread } from './json.ts'
import { content } from './read-content.ts'
import { endCause, jsonPatch, pending, tokenUsage } from './read-run.ts'
import {
  amount,
  arrayOf,
  boolean,
  count,
  json,
  oneOf,
  optional,
  optionalJson,
  otherwise,
  type Read,
  record,
  string,
  variants,
} from './read-value.ts'
import type { Message, Role } from './thread.ts'

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
  return parseEvent(parseUnread(text, limits))
}

const disposition = oneOf<Disposition>('executed', 'pending_client', 'pending_builtin')

const message: Read<Message> = record({
  id: string,
  role: oneOf<Role>('system', 'user', 'assistant', 'tool'),
  content,
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
    continuation: { steered: boolean, detail: json, messages: optional(arrayOf(message)) },
    run_finished: { exhausted: boolean, cause: optional(endCause), result: optionalJson },
    run_failed: { code: string, message: string },
    step_ended: { message_id: string },
    inference_completed: { model: string, usage: optional(tokenUsage), duration_ms: amount },
    state_snapshot: { snapshot: json, revision: optional(count) },
    activity_snapshot: {
      message_id: string,
      activity_type: string,
      content: json,
      replace: optional(boolean),
      revision: optional(count),
    },
  },
  new Map([['waiting', 'awaiting']]),
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
  state_delta: { delta: jsonPatch, revision: optional(count) },
  activity_delta: { message_id: string, activity_type: string, patch: jsonPatch, revision: optional(count) },
  tool_call_cancelled: { id: string, name: string, reason: string },
  stream_reset: { reason: string },
})

const event = variants<AgentEvent, 'tier'>(
  'tier',
  { fact: { event: fact }, delta: { event: delta } },
  new Map([['progress', 'delta']]),
)
