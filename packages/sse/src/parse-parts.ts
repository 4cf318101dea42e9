/**
 * The structured values inside flat events, read from parsed JSON: results, tickets, terminations, identities, patches.
 */
import type {
  JsonObject,
  JsonPatch,
  RunIdentity,
  StoppedReason,
  SuspendTicket,
  Suspension,
  TerminationReason,
  TokenUsage,
  ToolResult,
} from '@factwire/core'
import {
  absent,
  array,
  at,
  given,
  json,
  jsonObject,
  object,
  oneOf,
  optionalJson,
  optionalInteger,
  optionalString,
  refuse,
  string,
  type Unread,
} from './field.ts'

export function toolResultOf(value: unknown, path: string): ToolResult {
  const from = object(value, path)
  return {
    tool_name: string(from, 'tool_name', path),
    status: oneOf(from, 'status', ['success', 'pending', 'error'], path),
    data: optionalJson(from, 'data') ?? null,
    message: optionalString(from, 'message', path) ?? null,
    ...given(
      'suspension',
      absent(from['suspension']) ? undefined : ticketOf(from['suspension'], at(path, 'suspension')),
    ),
    ...given('metadata', absent(from['metadata']) ? undefined : metadataOf(from['metadata'], at(path, 'metadata'))),
  }
}

/** An empty one is not written. */
function metadataOf(value: unknown, path: string): JsonObject | undefined {
  const metadata = jsonObject(value, path)
  return Object.keys(metadata).length === 0 ? undefined : metadata
}

function ticketOf(value: unknown, path: string): SuspendTicket {
  const from = object(value, path)
  return {
    suspension: suspensionOf(from['suspension'] ?? {}, at(path, 'suspension')),
    pending: pendingOf(from['pending'] ?? {}, at(path, 'pending')),
    resume_mode: oneOf(
      from,
      'resume_mode',
      ['replay_tool_call', 'use_decision_as_tool_result', 'pass_decision_to_tool'],
      path,
      'replay_tool_call',
    ),
  }
}

function suspensionOf(value: unknown, path: string): Suspension {
  const from = object(value, path)
  return {
    id: optionalString(from, 'id', path) ?? '',
    action: optionalString(from, 'action', path) ?? '',
    ...given('message', optionalString(from, 'message', path) || undefined),
    ...given('parameters', optionalJson(from, 'parameters')),
    ...given('response_schema', optionalJson(from, 'response_schema')),
  }
}

function pendingOf(value: unknown, path: string): SuspendTicket['pending'] {
  const from = object(value, path)
  return {
    id: optionalString(from, 'id', path) ?? '',
    name: optionalString(from, 'name', path) ?? '',
    arguments: optionalJson(from, 'arguments') ?? null,
  }
}

export function terminationOf(value: unknown, path: string): TerminationReason {
  const from = object(value, path)
  // The older name of one reason is still read.
  const type = from['type'] === 'plugin_requested' ? 'behavior_requested' : from['type']
  switch (type) {
    case 'natural_end':
    case 'behavior_requested':
    case 'cancelled':
    case 'suspended':
      return { type }
    case 'blocked':
    case 'error':
      return { type, value: string(from, 'value', path) }
    case 'stopped':
      return { type, value: stoppedOf(from['value'], at(path, 'value')) }
    default:
      return refuse(at(path, 'type'), 'a known reason')
  }
}

function stoppedOf(value: unknown, path: string): StoppedReason {
  const from = object(value, path)
  return { code: string(from, 'code', path), ...given('detail', optionalString(from, 'detail', path)) }
}

export function usageOf(value: unknown, path: string): TokenUsage {
  const from = object(value, path)
  return {
    ...given('prompt_tokens', optionalInteger(from, 'prompt_tokens', path)),
    ...given('completion_tokens', optionalInteger(from, 'completion_tokens', path)),
    ...given('total_tokens', optionalInteger(from, 'total_tokens', path)),
    ...given('cache_read_tokens', optionalInteger(from, 'cache_read_tokens', path)),
    ...given('cache_creation_tokens', optionalInteger(from, 'cache_creation_tokens', path)),
    ...given('thinking_tokens', optionalInteger(from, 'thinking_tokens', path)),
  }
}

export function identityOf(value: unknown, path: string): RunIdentity {
  const from = object(value, path)
  const mode = oneOf(from, 'run_mode', ['foreground', 'scheduled', 'resume', 'internal_wake'], path, 'foreground')
  const adapter = oneOf(from, 'adapter', ['internal', 'acp', 'ai_sdk', 'ag_ui', 'a2a', 'mcp'], path, 'internal')
  return {
    thread_id: string(from, 'thread_id', path),
    ...given('parent_thread_id', optionalString(from, 'parent_thread_id', path)),
    run_id: string(from, 'run_id', path),
    ...given('parent_run_id', optionalString(from, 'parent_run_id', path)),
    agent_id: string(from, 'agent_id', path),
    ...given('parent_tool_call_id', optionalString(from, 'parent_tool_call_id', path)),
    ...given('dispatch_id', optionalString(from, 'dispatch_id', path)),
    ...given('session_id', optionalString(from, 'session_id', path)),
    ...given('transport_request_id', optionalString(from, 'transport_request_id', path)),
    origin: oneOf(from, 'origin', ['user', 'mcp', 'subagent', 'internal'], path, 'user'),
    // The usual ones are not written.
    ...given('run_mode', mode === 'foreground' ? undefined : mode),
    ...given('adapter', adapter === 'internal' ? undefined : adapter),
  }
}

export function patchOf(from: Unread, key: string): readonly JsonPatch[] {
  return array(from, key).map((element, index) => operationOf(element, at(key, index)))
}

function operationOf(value: unknown, path: string): JsonPatch {
  const from = object(value, path)
  const op = oneOf(from, 'op', ['add', 'replace', 'test', 'remove', 'move', 'copy'], path)
  switch (op) {
    case 'remove':
      return { op, path: string(from, 'path', path) }
    case 'move':
    case 'copy':
      return { op, path: string(from, 'path', path), from: string(from, 'from', path) }
    default:
      return { op, path: string(from, 'path', path), value: json(from, 'value', path) }
  }
}
