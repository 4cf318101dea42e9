/** What a user sends besides words: as the file part of a UI message, and back. */
import { type Base64Source, type DocumentBlock, type FileSource, type ImageBlock, type UrlSource } from '@factwire/core'
import type { FilePart } from './ui-message.ts'

const FILE_ID = 'file-id:'
const DATA = /^data:([^,;]*)((?:;[^,;]*)*?)(;base64)?,(.*)$/s

export function fileOf(block: ImageBlock | DocumentBlock): FilePart {
  const filename = block.type === 'document' && block.title !== undefined ? { filename: block.title } : {}
  const { source } = block
  if (source.type === 'text') {
    const url = `data:${source.media_type},${encoded(source.data)}`
    return { type: 'file', mediaType: source.media_type, ...filename, url }
  }
  const mediaType =
    source.type === 'base64' ? source.media_type : block.type === 'image' ? 'image/*' : 'application/octet-stream'
  return { type: 'file', mediaType, ...filename, url: urlOf(source) }
}

function urlOf(source: Base64Source | UrlSource | FileSource): string {
  switch (source.type) {
    case 'base64':
      return `data:${source.media_type};base64,${source.data}`
    case 'url':
      return source.url
    case 'file':
      return FILE_ID + source.file_id
  }
}

/** Half a surrogate pair has no form in a URL. */
function encoded(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return encodeURIComponent(
      text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd'),
    )
  }
}

export function blockOf({ mediaType, filename, url }: FilePart): ImageBlock | DocumentBlock {
  const title = filename === undefined || filename === '' ? {} : { title: filename }
  const [whole, media = '', , base64, data = ''] = DATA.exec(url) ?? []
  if (whole !== undefined && base64 === undefined) {
    return { type: 'document', source: { type: 'text', media_type: media || mediaType, data: decoded(data) }, ...title }
  }
  const source = whole === undefined ? linked(url) : ({ type: 'base64', media_type: media || mediaType, data } as const)
  return mediaType.startsWith('image') ? { type: 'image', source } : { type: 'document', source, ...title }
}

const linked = (url: string): UrlSource | FileSource =>
  url.startsWith(FILE_ID) ? { type: 'file', file_id: url.slice(FILE_ID.length) } : { type: 'url', url }

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
