/** Parsed JSON in, content blocks out: what messages, facts and stored threads are made of. */
import type { ContentBlock, DocumentBlock, ImageBlock, TextBlock } from './content.ts'
import { isObject } from './json.ts'
import {
  arrayOf,
  boolean,
  json,
  optional,
  optionalJson,
  otherwise,
  own,
  type Read,
  record,
  refuse,
  string,
  variants,
} from './read-value.ts'

type Content = readonly ContentBlock[]

/** How deep tool results may stand inside tool results. */
const NESTING = 8

/** Blocks as events have them. */
export const content: Read<Content> = contentReader(blockReader, NESTING)

/** Blocks as threads were stored: a bare string is one text block, nothing is no block, and a thought was `thinking`. */
export const storedContent: Read<Content> = contentReader(storedBlockReader, NESTING, stored)

function contentReader(
  blockOf: (nested: Read<Content>) => Read<ContentBlock>,
  levels: number,
  around: (read: Read<Content>) => Read<Content> = (read) => read,
): Read<Content> {
  const nested: Read<Content> =
    levels === 0
      ? (value, path) => refuse(path, `no more than ${NESTING} results inside each other`, value)
      : contentReader(blockOf, levels - 1, around)
  return around(arrayOf(blockOf(nested)))
}

function stored(read: Read<Content>): Read<Content> {
  return (value, path) => {
    if (typeof value === 'string') return [{ type: 'text', text: value }]
    return value === undefined || value === null ? [] : read(value, path)
  }
}

function storedBlockReader(nested: Read<Content>): Read<ContentBlock> {
  const read = blockReader(nested)
  return (value, path) => {
    const older = isObject(value) && own(value, 'type') === 'thinking' && own(value, 'text') === undefined
    return read(older ? { ...value, text: own(value, 'thinking') } : value, path)
  }
}

function blockReader(nested: Read<Content>): Read<ContentBlock> {
  const base64 = { media_type: string, data: string }
  const url = { url: string }
  const file = { file_id: string }
  return variants<ContentBlock, 'type'>('type', {
    text: { text: string },
    image: { source: variants<ImageBlock['source'], 'type'>('type', { base64, url, file }) },
    document: {
      source: variants<DocumentBlock['source'], 'type'>('type', {
        base64,
        text: { media_type: string, data: string },
        url,
        file,
      }),
      title: optional(string),
      context: optional(string),
    },
    search_result: {
      source: string,
      title: string,
      content: arrayOf(variants<TextBlock, 'type'>('type', { text: { text: string } })),
      citations: optional(record<{ readonly enabled: boolean }>({ enabled: boolean })),
    },
    redacted: {},
    tool_use: { id: string, name: string, input: json, raw_input: optional(string) },
    tool_result: {
      tool_use_id: string,
      content: nested,
      is_error: otherwise(boolean, false),
      data: optionalJson,
      denied: optional(boolean),
      cancelled: optional(boolean),
    },
    thinking: { text: string, signature: optional(string), encrypted: optional(string) },
  })
}
