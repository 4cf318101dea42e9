/**
 * Readers of the structured values inside flat events: results, tickets, terminations, identities.
 */
import {
  json,
  type JsonObject,
  jsonObject,
  oneOf,
  optional,
  otherwise,
  type Read,
  record,
  type ResumeMode,
  type RunIdentity,
  type StoppedReason,
  string,
  type SuspendTicket,
  type Suspension,
  type TerminationReason,
  type ToolResult,
  type ToolStatus,
  variants,
} from '@factwire/core'

const stringOrEmpty = otherwise(string, '')

/** Absent, null and `{}` are the same here. */
function objectOrEmpty<Value>(read: Read<Value>): Read<Value> {
  return (value, path) => read(value ?? {}, path)
}

/** What the wire does not write: the usual value. */
function unlessUsual<Word extends string>(read: Read<Word | undefined>, usual: Word): Read<Word | undefined> {
  return (value, path) => {
    const word = read(value, path)
    return word === usual ? undefined : word
  }
}

const suspension: Read<Suspension> = record<Suspension>({
  id: stringOrEmpty,
  action: stringOrEmpty,
  message: unlessUsual(optional(string), ''),
  parameters: optional(json),
  response_schema: optional(json),
})

const ticket: Read<SuspendTicket> = record<SuspendTicket>({
  suspension: objectOrEmpty(suspension),
  pending: objectOrEmpty(
    record<SuspendTicket['pending']>({ id: stringOrEmpty, name: stringOrEmpty, arguments: otherwise(json, null) }),
  ),
  resume_mode: otherwise(
    oneOf<ResumeMode>('replay_tool_call', 'use_decision_as_tool_result', 'pass_decision_to_tool'),
    'replay_tool_call',
  ),
})

/** An empty one is not written. */
const metadata: Read<JsonObject | undefined> = (value, path) => {
  const read = optional(jsonObject)(value, path)
  return read && Object.keys(read).length > 0 ? read : undefined
}

export const toolResult: Read<ToolResult> = record<ToolResult>({
  tool_name: string,
  status: oneOf<ToolStatus>('success', 'pending', 'error'),
  data: otherwise(json, null),
  message: otherwise(string, null),
  suspension: optional(ticket),
  metadata,
})

export const termination: Read<TerminationReason> = variants<TerminationReason, 'type'>(
  'type',
  {
    natural_end: {},
    behavior_requested: {},
    stopped: { value: record<StoppedReason>({ code: string, detail: optional(string) }) },
    cancelled: {},
    blocked: { value: string },
    suspended: {},
    error: { value: string },
  },
  new Map([['plugin_requested', 'behavior_requested']]),
)

export const identity: Read<RunIdentity> = record<RunIdentity>({
  thread_id: string,
  parent_thread_id: optional(string),
  run_id: string,
  parent_run_id: optional(string),
  agent_id: string,
  parent_tool_call_id: optional(string),
  dispatch_id: optional(string),
  session_id: optional(string),
  transport_request_id: optional(string),
  origin: otherwise(oneOf('user', 'mcp', 'subagent', 'internal'), 'user'),
  run_mode: unlessUsual(optional(oneOf('foreground', 'scheduled', 'resume', 'internal_wake')), 'foreground'),
  adapter: unlessUsual(optional(oneOf('internal', 'acp', 'ai_sdk', 'ag_ui', 'a2a', 'mcp')), 'internal'),
})
