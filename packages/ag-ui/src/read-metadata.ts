/** `metadata` of unknown origin: an object of anybody's, in which only `factwire` is read. */
import {
  arrayOf,
  boolean,
  type ContentBlock,
  endCause,
  isObject,
  lenient,
  jsonObject,
  optional,
  optionalJson,
  parseMessage,
  pending,
  type Read,
  record,
  string,
} from '@factwire/core'
import type { FactwireDocument, FactwireMetadata, Metadata } from './wire-message.ts'

const factwire: Read<FactwireMetadata> = record<FactwireMetadata>({
  is_error: lenient(boolean),
  denied: lenient(boolean),
  message_id: lenient(string),
  cancelled: lenient(boolean),
  data: optionalJson,
  exhausted: lenient(boolean),
  cause: lenient(endCause),
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
  const from = jsonObject(value, path)
  if (!Object.hasOwn(from, 'factwire')) return from
  const { factwire: ours, ...others } = from
  if (isObject(ours)) return { ...others, factwire: factwire(ours, `${path}.factwire`, onUnknown) }
  onUnknown?.(`${path}.factwire`, ours)
  return others
}
