/** Blocks of content of unknown origin, as blocks of a thread. */
import {
  arrayOf,
  at,
  boolean,
  type ContentBlock,
  type DocumentBlock,
  field,
  type ImageBlock,
  type JsonObject,
  object,
  optional,
  own,
  type Read,
  record,
  refuseValue,
  string,
  type TextBlock,
  textOf,
} from '@factwire/core'

const MOST = 10_000

export const contentBlock = (from: JsonObject, path: string): ContentBlock => {
  const type = field(from, 'type', string, path)
  switch (type) {
    case 'text':
      return text(from, path)
    case 'image':
      return { type, source: field(from, 'source', imageSource, path) }
    case 'document': {
      const title = field(from, 'title', optional(string), path)
      const context = field(from, 'context', optional(string), path)
      const source = field(from, 'source', documentSource, path)
      return {
        type,
        source,
        ...(title === undefined ? {} : { title }),
        ...(context === undefined ? {} : { context }),
      }
    }
    case 'search_result': {
      const citations = field(from, 'citations', optional(record<{ readonly enabled: boolean }>({ enabled })), path)
      return {
        type,
        source: field(from, 'source', string, path),
        title: field(from, 'title', string, path),
        content: field(from, 'content', arrayOf(text, MOST), path),
        ...(citations === undefined ? {} : { citations }),
      }
    }
    default:
      return refuseValue(at(path, 'type'), 'text, image, document, search_result or tool_result', type)
  }
}

const enabled: Read<boolean> = (value, path) => (value === undefined ? false : boolean(value, path))

const text: Read<TextBlock> = (value, path) => ({
  type: 'text',
  text: field(object(value, path), 'text', string, path),
})

const imageSource: Read<ImageBlock['source']> = (value, path) => {
  const from = object(value, path)
  const type = field(from, 'type', string, path)
  switch (type) {
    case 'base64':
      return { type, ...encoded(from, path) }
    case 'url':
      return { type, url: field(from, 'url', string, path) }
    case 'file':
      return { type, file_id: field(from, 'file_id', string, path) }
    default:
      return refuseValue(at(path, 'type'), 'base64, url or file', type)
  }
}

const documentSource: Read<DocumentBlock['source']> = (value, path) => {
  const from = object(value, path)
  switch (own(from, 'type')) {
    case 'text':
      return { type: 'text', ...encoded(from, path) }
    // Blocks that are quoted one by one. Their text is what there is to read.
    case 'content':
      return { type: 'text', media_type: 'text/plain', data: field(from, 'content', quoted, path) }
    default:
      return imageSource(value, path)
  }
}

function encoded(from: JsonObject, path: string): { readonly media_type: string; readonly data: string } {
  return { media_type: field(from, 'media_type', string, path), data: field(from, 'data', string, path) }
}

const blocks = arrayOf((value, path) => contentBlock(object(value, path), path), MOST)

const quoted: Read<string> = (value, path) => (typeof value === 'string' ? value : textOf(blocks(value, path)))
