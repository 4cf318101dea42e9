/** `metadata` of unknown origin: an object of anybody's, in which only `factwire` is read. */
import {
  type ContentBlock,
  type EndCause,
  type Failure,
  type Json,
  type Pending,
  isObject,
  parseMessage,
} from '@factwire/core'
import {
  arrayOf,
  boolean,
  json,
  lenient,
  objectAt,
  oneOf,
  optional,
  type Read,
  record,
  string,
  variants,
} from './read.ts'
import type { FactwireDocument, FactwireMetadata, Metadata } from './wire.ts'

/** Null is a value here. */
const optionalJson: Read<Json | undefined> = (value, path) => (value === undefined ? undefined : json(value, path))

const cause: Read<EndCause> = variants<EndCause, 'type'>('type', {
  natural_end: {},
  behavior_requested: {},
  max_steps: { code: optional(string) },
  stopped: { code: string, detail: optional(string) },
  cancelled: {},
  blocked: { reason: string },
  error: { failure: record<Failure>({ code: string, message: optional(string) }) },
  indeterminate: {},
})

const pending: Read<Pending> = record<Pending>({
  tool_use_id: string,
  kind: oneOf('client', 'approval'),
  approval_id: optional(string),
  message: optional(string),
  parameters: optionalJson,
  response_schema: optionalJson,
  expires_at: optional(string),
})

const factwire: Read<FactwireMetadata> = record<FactwireMetadata>({
  is_error: lenient(boolean),
  denied: lenient(boolean),
  cancelled: lenient(boolean),
  data: optionalJson,
  exhausted: lenient(boolean),
  cause: lenient(cause),
  signature: lenient(string),
  block: lenient(block),
  document: lenient(
    record<FactwireDocument>({ media_type: optional(string), title: optional(string), context: optional(string) }),
  ),
  parameters: optionalJson,
  pending: lenient(arrayOf(pending)),
})

function block(value: unknown): ContentBlock {
  const [read] = parseMessage({ id: '', role: 'user', content: [value] }).content
  return read ?? { type: 'redacted' }
}

/** Anybody's keys stay as they are. */
export const metadata: Read<Metadata> = (value, path, onUnknown) => {
  const from = objectAt(value, path)
  if (!Object.hasOwn(from, 'factwire')) return from
  const { factwire: ours, ...others } = from
  if (isObject(ours)) return { ...others, factwire: factwire(ours, `${path}.factwire`, onUnknown) }
  onUnknown?.(`${path}.factwire`, ours)
  return others
}
