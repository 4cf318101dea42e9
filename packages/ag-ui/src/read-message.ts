/** Messages of unknown origin, of any version: a role, part or source that is not known here is dropped. */
import {
  arrayOf,
  field,
  isObject,
  known,
  knownOf,
  lenient,
  jsonObject,
  oneOf,
  optional,
  otherwise,
  type Read,
  record,
  refuse,
  string,
} from '@factwire/core'
import { metadata } from './read-metadata.ts'
import type { AgUiMessage, Content, ContentPart, MediaPart, Source, ToolCall } from './wire-message.ts'

const source = known<Source, 'type'>('type', {
  data: { value: string, mimeType: string },
  url: { value: string, mimeType: optional(string) },
  file: { value: string, provider: optional(string), mimeType: optional(string) },
})

interface UnreadMedia extends Omit<MediaPart, 'type' | 'source'> {
  readonly type: MediaPart['type']
  readonly source: Source | undefined
}
type UnreadPart = Exclude<ContentPart, MediaPart> | UnreadMedia

const media = { source, id: optional(string), metadata: lenient(metadata) }

const part = known<UnreadPart, 'type'>('type', {
  text: { text: string, id: optional(string), metadata: lenient(metadata) },
  image: media,
  audio: media,
  video: media,
  document: media,
})

const contentPart: Read<ContentPart | undefined> = (value, path, onUnknown) => {
  if (isObject(value) && value['type'] === 'binary') return binaryPart(value, path)
  const read = part(value, path, onUnknown)
  if (!read || read.type === 'text') return read
  return read.source && { ...read, source: read.source }
}

type Binary = { readonly [key: string]: unknown }

/** How files were sent before there were kinds of them. */
function binaryPart(from: Binary, path: string): ContentPart {
  const mimeType = field(from, 'mimeType', string, path)
  const kind = mimeType.slice(0, mimeType.indexOf('/'))
  const type = kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
  return { type, source: binarySource(from, mimeType, path) }
}

function binarySource({ data, url, id }: Binary, mimeType: string, path: string): Source {
  if (typeof data === 'string') return { type: 'data', value: data, mimeType }
  if (typeof url === 'string') return { type: 'url', value: url, mimeType }
  return typeof id === 'string' ? { type: 'file', value: id, mimeType } : refuse(path, 'data, url or id', undefined)
}

const parts = knownOf(contentPart)

export const content: Read<Content> = (value, path, onUnknown) =>
  typeof value === 'string' ? value : parts(value, path, onUnknown)

const toolCall: Read<ToolCall> = record<ToolCall>({
  id: string,
  type: otherwise(oneOf('function'), 'function'),
  function: record<ToolCall['function']>({ name: string, arguments: otherwise(string, '') }),
  encryptedValue: optional(string),
  metadata: lenient(metadata),
})

const beside = { metadata: lenient(metadata), subagentRunId: optional(string) }
const sealed = { ...beside, encryptedValue: optional(string) }
const instruction = { id: string, content: string, name: optional(string), ...sealed }

/** Undefined for a role that is not known here. */
export const message: Read<AgUiMessage | undefined> = known<AgUiMessage, 'role'>('role', {
  developer: instruction,
  system: instruction,
  user: { id: string, content, name: optional(string), ...sealed },
  assistant: {
    id: string,
    content: optional(string),
    toolCalls: optional(arrayOf(toolCall)),
    name: optional(string),
    ...sealed,
  },
  tool: { id: string, toolCallId: string, content, error: optional(string), ...sealed },
  reasoning: { id: string, content: string, ...sealed },
  activity: { id: string, activityType: string, content: jsonObject, ...beside },
})

export const messages: Read<readonly AgUiMessage[]> = knownOf(message)
