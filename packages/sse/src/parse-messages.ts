/**
 * Stored messages and content blocks of unknown origin, read liberally: from the wire, from older stores, in either
 * spelling.
 *
 * What is not understood is left out, because a snapshot is worth showing even where one part of it is not.
 */
import {
  type ContentBlock,
  type DocumentBlock,
  type ImageBlock,
  type Json,
  json,
  optional,
  otherwise,
  type TextBlock,
  isObject,
} from '@factwire/core'
import { given } from './given.ts'
import type { FlatBlock, FlatMessage, FlatToolCall } from './wire.ts'

type Unread = { readonly [key: string]: unknown }

/** The messages of a snapshot, as far as they are understood: what is no message is left out, and so is a block of another kind. */
export function flatMessages(messages: readonly unknown[]): readonly FlatMessage[] {
  return messages.flatMap(flatMessageOf)
}

function flatMessageOf(value: unknown): readonly FlatMessage[] {
  if (!isObject(value) || typeof value['role'] !== 'string') return []
  const calls = listOf(value['tool_calls']).flatMap(toolCallOf)
  return [
    {
      ...given('id', word(value, 'id')),
      role: value['role'].toLowerCase(),
      content: blocksOf(value['content']).map(flatBlockOf),
      ...given('tool_calls', calls.length === 0 ? undefined : calls),
      ...given('tool_call_id', word(value, 'tool_call_id')),
      ...given('visibility', value['visibility'] === 'internal' ? ('internal' as const) : undefined),
      ...flag(value, 'is_error'),
      ...given('data', optional(json)(value['data'], 'data')),
      ...flag(value, 'denied'),
      ...flag(value, 'cancelled'),
    },
  ]
}

function toolCallOf(value: unknown): readonly FlatToolCall[] {
  if (!isObject(value) || typeof value['id'] !== 'string') return []
  return [{ id: value['id'], name: word(value, 'name') ?? '', arguments: free(value, 'arguments') }]
}

/** A bare string is one text. */
export function blocksOf(value: unknown): readonly ContentBlock[] {
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
  return listOf(value).flatMap((element) => (isObject(element) ? (blockOf(element) ?? []) : []))
}

export function flatBlockOf(block: ContentBlock): FlatBlock {
  return block.type === 'thinking' ? { type: 'thinking', thinking: block.text } : block
}

export function contentBlockOf(block: FlatBlock): ContentBlock {
  return block.type === 'thinking' ? { type: 'thinking', text: block.thinking } : block
}

function blockOf(from: Unread): ContentBlock | undefined {
  switch (from['type']) {
    case 'text':
      return textBlockOf(from)
    case 'thinking': {
      const text = word(from, 'text') ?? word(from, 'thinking')
      if (text === undefined) return undefined
      const seal = { ...given('signature', word(from, 'signature')), ...given('encrypted', word(from, 'encrypted')) }
      return { type: 'thinking', text, ...seal }
    }
    case 'tool_use': {
      const id = word(from, 'id')
      if (id === undefined) return undefined
      const raw = given('raw_input', word(from, 'raw_input'))
      return { type: 'tool_use', id, name: word(from, 'name') ?? '', input: free(from, 'input'), ...raw }
    }
    case 'tool_result': {
      const id = word(from, 'tool_use_id')
      if (id === undefined) return undefined
      return {
        type: 'tool_result',
        tool_use_id: id,
        content: blocksOf(from['content']),
        is_error: from['is_error'] === true,
        ...given('data', optional(json)(from['data'], 'data')),
        ...flag(from, 'denied'),
        ...flag(from, 'cancelled'),
      }
    }
    case 'image': {
      const source = sourceOf(from['source'])
      return source && source.type !== 'text' ? { type: 'image', source } : undefined
    }
    case 'document': {
      const source = sourceOf(from['source'])
      if (!source) return undefined
      return {
        type: 'document',
        source,
        ...given('title', word(from, 'title')),
        ...given('context', word(from, 'context')),
      }
    }
    case 'search_result':
      return searchResultOf(from)
    case 'redacted':
      return { type: 'redacted' }
    default:
      return undefined
  }
}

function textBlockOf(from: Unread): TextBlock | undefined {
  const text = word(from, 'text')
  return text === undefined ? undefined : { type: 'text', text }
}

function searchResultOf(from: Unread): ContentBlock | undefined {
  const source = word(from, 'source')
  const title = word(from, 'title')
  if (source === undefined || title === undefined) return undefined
  const content = blocksOf(from['content']).filter((block) => block.type === 'text')
  const { citations } = from
  const enabled = isObject(citations) && typeof citations['enabled'] === 'boolean' ? citations['enabled'] : undefined
  return {
    type: 'search_result',
    source,
    title,
    content,
    ...given('citations', enabled === undefined ? undefined : { enabled }),
  }
}

function sourceOf(value: unknown): ImageBlock['source'] | DocumentBlock['source'] | undefined {
  if (!isObject(value)) return undefined
  switch (value['type']) {
    case 'base64':
    case 'text': {
      const media_type = word(value, 'media_type')
      const data = word(value, 'data')
      return media_type === undefined || data === undefined ? undefined : { type: value['type'], media_type, data }
    }
    case 'url': {
      const url = word(value, 'url')
      return url === undefined ? undefined : { type: 'url', url }
    }
    case 'file': {
      const file_id = word(value, 'file_id')
      return file_id === undefined ? undefined : { type: 'file', file_id }
    }
    default:
      return undefined
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function word(from: Unread, key: string): string | undefined {
  const value = from[key]
  return typeof value === 'string' ? value : undefined
}

function free(from: Unread, key: string): Json {
  return otherwise(json, null)(from[key], key)
}

/** Written when true, left out otherwise. */
function flag<Key extends string>(from: Unread, key: Key): { readonly [K in Key]?: true } {
  return given(key, from[key] === true ? (true as const) : undefined)
}
