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
  refuseValue,
  string,
  textOf,
} from '@factwire/core'
import { listOf } from './list.ts'
import type { ChatContentPart } from './wire.ts'

/** A string where there is only text, else parts. Calls and thoughts are no content here. */
export function contentOf(blocks: readonly ContentBlock[]): string | ChatContentPart[] {
  return blocks.every(({ type }) => type === 'text') ? textOf(blocks) : blocks.flatMap(partsOf)
}

function partsOf(block: ContentBlock): readonly ChatContentPart[] {
  switch (block.type) {
    case 'image':
      return [imagePart(block.source)]
    case 'document':
      return documentParts(block)
    case 'text':
    case 'search_result':
    case 'redacted':
    case 'tool_result':
      return textParts(stated(block))
    case 'tool_use':
    case 'thinking':
      return []
  }
}

/** Providers refuse an empty part. */
function textParts(text: string): readonly ChatContentPart[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

function imagePart(source: ImageBlock['source']): ChatContentPart {
  switch (source.type) {
    case 'base64':
      return { type: 'image_url', image_url: { url: dataUrl(source.media_type, source.data) } }
    case 'url':
      return { type: 'image_url', image_url: { url: source.url } }
    case 'file':
      return { type: 'file', file: { file_id: source.file_id } }
  }
}

function documentParts(document: DocumentBlock): readonly ChatContentPart[] {
  const { source, title, context } = document
  // The wire has no place for either, and a title stands in the text already.
  if (source.type === 'text' || source.type === 'url') return textParts(stated(document))
  const file = filePart(source, title)
  return [...textParts(context ?? ''), file]
}

function filePart(
  source: Extract<DocumentBlock['source'], { type: 'base64' | 'file' }>,
  title = 'document',
): ChatContentPart {
  if (source.type === 'file') return { type: 'file', file: { file_id: source.file_id } }
  const format = AUDIO.get(source.media_type)
  if (format) return { type: 'input_audio', input_audio: { data: source.data, format } }
  return { type: 'file', file: { filename: title, file_data: dataUrl(source.media_type, source.data) } }
}

const AUDIO: ReadonlyMap<string, 'wav' | 'mp3'> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
])

const dataUrl = (mediaType: string, data: string): string => `data:${mediaType};base64,${data}`

// ── As text ──

/** Blocks where the wire takes text alone: text as it is, everything else on lines of its own. */
export function textWithMedia(blocks: readonly ContentBlock[]): string {
  let whole = ''
  let open = true
  for (const block of blocks) {
    const text = stated(block)
    if (text === '') continue
    const joins = block.type === 'text' && open
    whole += whole === '' || joins ? text : `\n${text}`
    open = block.type === 'text'
  }
  return whole
}

function stated(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
      return label('image', ...placeOf(block.source))
    case 'document': {
      const { source, title, context } = block
      if (source.type === 'text') return lines(title, context, source.data)
      return lines(label('document', title, ...placeOf(source)), context)
    }
    case 'search_result':
      return lines(block.title, block.source, textOf(block.content))
    case 'redacted':
      return label('withheld')
    case 'tool_result':
      return textWithMedia(block.content)
    case 'tool_use':
    case 'thinking':
      return ''
  }
}

/** Where it is, or of which kind: the bytes themselves are no text. */
function placeOf(source: ImageBlock['source']): readonly string[] {
  switch (source.type) {
    case 'base64':
      return [source.media_type]
    case 'url':
      return [source.url]
    case 'file':
      return ['file', source.file_id]
  }
}

function label(...words: readonly (string | undefined)[]): string {
  return `[${words.filter((word) => word !== undefined && word !== '').join(' ')}]`
}

function lines(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join('\n')
}

// ── Back ──

/** No block for an empty string. */
export const contentBlocks: Read<readonly ContentBlock[]> = (value, path) => {
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
  return Array.isArray(value) ? parts(value, path) : refuse(path, 'a string or an array of parts', value)
}

/** The same where only text can stand. */
export const textBlocks: Read<readonly ContentBlock[]> = (value, path) => {
  const blocks = contentBlocks(value, path)
  const other = blocks.findIndex(({ type }) => type !== 'text')
  return other < 0 ? blocks : refuseValue(`${path}[${other}]`, 'a part of text', blocks[other]?.type)
}

const parts = listOf<ContentBlock>((value, path) => {
  const part = object(value, path)
  const type = field(part, 'type', string, path)
  const inside = at(path, type)
  switch (type) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: field(part, type, string, path) }
    case 'image_url':
      return { type: 'image', source: sourceOf(field(part, type, imageUrl, path)) }
    case 'input_audio': {
      const audio = field(part, type, object, path)
      const format = field(audio, 'format', string, inside)
      const media_type = format === 'mp3' ? 'audio/mpeg' : `audio/${format}`
      return { type: 'document', source: { type: 'base64', media_type, data: field(audio, 'data', string, inside) } }
    }
    case 'file':
      return fileBlock(field(part, type, object, path), inside)
    default:
      return refuseValue(at(path, 'type'), 'text, refusal, image_url, input_audio or file', type)
  }
})

/** Some clients put the address where its holder belongs. */
const imageUrl: Read<string> = (value, path) =>
  typeof value === 'string' ? value : field(object(value, path), 'url', string, path)

function fileBlock(file: JsonObject, path: string): DocumentBlock {
  const title = field(file, 'filename', optional(string), path)
  const named = title === undefined ? {} : { title }
  const id = field(file, 'file_id', optional(string), path)
  if (id !== undefined) return { type: 'document', source: { type: 'file', file_id: id }, ...named }
  const source = sourceOf(field(file, 'file_data', string, path), 'application/octet-stream')
  return { type: 'document', source, ...named }
}

const BASE64_URL = /^data:([^,]{0,255}?);base64,/i

/** `bare`: what data without a `data:` prefix is; absent where it is an address. */
function sourceOf(url: string, bare?: string): Extract<ImageBlock['source'], { type: 'base64' | 'url' }> {
  const head = BASE64_URL.exec(url)
  if (head) return { type: 'base64', media_type: head[1] || 'text/plain', data: url.slice(head[0].length) }
  const isAddress = bare === undefined || /^(https?|data):/i.test(url)
  return isAddress ? { type: 'url', url } : { type: 'base64', media_type: bare, data: url }
}
