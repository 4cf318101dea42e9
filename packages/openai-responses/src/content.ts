/**
 * Turns content blocks into content parts and back.
 *
 * What the wire has no part for is stated as text, for the model to know that something was there.
 */
import {
  at,
  type ContentBlock,
  type DocumentBlock,
  field,
  type ImageBlock,
  type JsonObject,
  object,
  optional,
  type Read,
  refuse,
  string,
  textOf,
} from '@factwire/core'
import type { InputPart } from './input.ts'
import { listOf } from './list.ts'

/** A string where there is only text, else parts. Calls and thoughts are no content here. */
export function contentOf(blocks: readonly ContentBlock[]): string | InputPart[] {
  return blocks.every(({ type }) => type === 'text') ? textOf(blocks) : blocks.flatMap(partsOf)
}

function partsOf(block: ContentBlock): readonly InputPart[] {
  switch (block.type) {
    case 'text':
      return textParts(block.text)
    case 'image':
      return [imagePart(block.source)]
    case 'document':
      return documentParts(block)
    case 'search_result':
      return textParts(lines(block.title, block.source, textOf(block.content)))
    case 'redacted':
      return textParts('[withheld]')
    case 'tool_result':
      return block.content.flatMap(partsOf)
    case 'tool_use':
    case 'thinking':
      return []
  }
}

/** Providers refuse an empty part. */
const textParts = (text: string): readonly InputPart[] => (text === '' ? [] : [{ type: 'input_text', text }])

function imagePart(source: ImageBlock['source']): InputPart {
  const image = { type: 'input_image', detail: 'auto' } as const
  switch (source.type) {
    case 'base64':
      return { ...image, image_url: `data:${source.media_type};base64,${source.data}` }
    case 'url':
      return { ...image, image_url: source.url }
    case 'file':
      return { ...image, file_id: source.file_id }
  }
}

function documentParts({ source, title, context }: DocumentBlock): readonly InputPart[] {
  const about = textParts(context ?? '')
  switch (source.type) {
    case 'text':
      return textParts(lines(title, context, source.data))
    case 'url':
      return [...about, { type: 'input_file', file_url: source.url }]
    case 'file':
      return [...about, { type: 'input_file', file_id: source.file_id }]
    case 'base64': {
      const file_data = `data:${source.media_type};base64,${source.data}`
      return [...about, { type: 'input_file', filename: title ?? 'document', file_data }]
    }
  }
}

const lines = (...texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== '').join('\n')

// ── Back ──

/** No block for an empty string, and none for a part that is not known here. */
export const contentBlocks: Read<readonly ContentBlock[]> = (value, path) => {
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
  return Array.isArray(value) ? parts(value, path).flat() : refuse(path, 'a string or an array of parts', value)
}

const parts = listOf((value, path): readonly ContentBlock[] => {
  const from = object(value, path)
  switch (field(from, 'type', string, path)) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return textBlock(field(from, 'text', string, path))
    case 'refusal':
      return textBlock(field(from, 'refusal', string, path))
    case 'input_image':
      return [imageBlock(from, path)]
    case 'input_file':
      return [fileBlock(from, path)]
    default:
      return []
  }
})

const textBlock = (text: string): readonly ContentBlock[] => (text === '' ? [] : [{ type: 'text', text }])

function imageBlock(from: JsonObject, path: string): ContentBlock {
  const file_id = field(from, 'file_id', optional(string), path)
  if (file_id !== undefined) return { type: 'image', source: { type: 'file', file_id } }
  const url = field(from, 'image_url', string, path)
  return { type: 'image', source: dataIn(url) ?? { type: 'url', url } }
}

function fileBlock(from: JsonObject, path: string): ContentBlock {
  const title = field(from, 'filename', optional(string), path)
  const named = title === undefined ? {} : { title }
  const file_id = field(from, 'file_id', optional(string), path)
  if (file_id !== undefined) return { type: 'document', source: { type: 'file', file_id }, ...named }
  const url = field(from, 'file_url', optional(string), path)
  if (url !== undefined) return { type: 'document', source: { type: 'url', url }, ...named }
  const data = dataIn(field(from, 'file_data', string, path))
  return data ? { type: 'document', source: data, ...named } : refuse(at(path, 'file_data'), 'a data: URL', undefined)
}

function dataIn(url: string): { type: 'base64'; media_type: string; data: string } | undefined {
  const [, media_type, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? []
  return media_type === undefined || data === undefined ? undefined : { type: 'base64', media_type, data }
}
