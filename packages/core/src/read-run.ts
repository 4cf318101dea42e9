/** Readers of what stands in events and frames alike: usage, causes, whom a run waits for, patches. */
import type { TokenUsage } from './content.ts'
import type { JsonPatch } from './json.ts'
import {
  arrayOf,
  integer,
  json,
  oneOf,
  optional,
  optionalJson,
  type Read,
  record,
  string,
  variants,
} from './read-value.ts'
import type { EndCause, Failure, Pending } from './run.ts'

export const tokenUsage: Read<TokenUsage> = record<TokenUsage>({
  prompt_tokens: optional(integer),
  completion_tokens: optional(integer),
  total_tokens: optional(integer),
  cache_read_tokens: optional(integer),
  cache_creation_tokens: optional(integer),
  thinking_tokens: optional(integer),
})

export const pending: Read<Pending> = record<Pending>({
  tool_use_id: string,
  kind: oneOf('client', 'approval'),
  approval_id: optional(string),
  message: optional(string),
  parameters: optionalJson,
  response_schema: optionalJson,
  expires_at: optional(string),
})

export const endCause: Read<EndCause> = variants<EndCause, 'type'>('type', {
  natural_end: {},
  behavior_requested: {},
  max_steps: { code: optional(string) },
  stopped: { code: string, detail: optional(string) },
  cancelled: {},
  blocked: { reason: string },
  error: { failure: record<Failure>({ code: string, message: optional(string) }) },
  indeterminate: {},
})

const withValue = { path: string, value: json }
const withSource = { path: string, from: string }

export const jsonPatch: Read<readonly JsonPatch[]> = arrayOf(
  variants<JsonPatch, 'op'>('op', {
    add: withValue,
    replace: withValue,
    test: withValue,
    remove: { path: string },
    move: withSource,
    copy: withSource,
  }),
)
