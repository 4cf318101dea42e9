/** Content blocks as the content of AG-UI messages, and back. A block that the wire does not have stands as text, with itself in metadata. */
import { type ContentBlock, type DocumentBlock, type ImageBlock, textOf } from '@factwire/core'
import { match } from 'ts-pattern'
import type { Content, ContentPart, FactwireDocument, MediaPart, Source } from './wire-message.ts'

/** A string where there is only text, else parts. Calls and thoughts are no content here. */
export function contentOf(blocks: readonly ContentBlock[]): Content {
  return blocks.some(isMore) ? blocks.flatMap(partOf) : textOf(blocks)
}

function isMore({ type }: ContentBlock): boolean {
  return type === 'image' || type === 'document' || type === 'search_result' || type === 'redacted'
}

function partOf(block: ContentBlock): readonly ContentPart[] {
  return match(block)
    .returnType<readonly ContentPart[]>()
    .with({ type: 'text' }, ({ text }) => parts({ type: 'text', text }))
    .with({ type: 'image' }, ({ source }) => parts({ type: 'image', source: sourceOf(source) }))
    .with({ type: 'document' }, documentPart)
    .with({ type: 'search_result' }, (result) => {
      const text = [result.title, result.source, textOf(result.content)].filter((line) => line !== '').join('\n')
      return parts({ type: 'text', text, metadata: { factwire: { block: result } } })
    })
    .with({ type: 'redacted' }, () => parts({ type: 'text', text: '', metadata: { factwire: { block } } }))
    .with({ type: 'tool_use' }, { type: 'tool_result' }, { type: 'thinking' }, () => [])
    .exhaustive()
}

function documentPart({ source, title, context }: DocumentBlock): readonly ContentPart[] {
  const named = { ...(title === undefined ? {} : { title }), ...(context === undefined ? {} : { context }) }
  if (source.type === 'text') {
    const document = { media_type: source.media_type, ...named }
    return parts({ type: 'text', text: source.data, metadata: { factwire: { document } } })
  }
  const plain = title === undefined && context === undefined
  return parts({
    type: 'document',
    source: sourceOf(source),
    ...(plain ? {} : { metadata: { factwire: { document: named } } }),
  })
}

function sourceOf(source: ImageBlock['source']): Source {
  switch (source.type) {
    case 'base64':
      return { type: 'data', value: source.data, mimeType: source.media_type }
    case 'url':
      return { type: 'url', value: source.url }
    case 'file':
      return { type: 'file', value: source.file_id }
  }
}

/** As `frames`, for the parts of a message. */
const parts = (...given: readonly ContentPart[]): readonly ContentPart[] => given

/** What a client that takes nothing but text is given: documents that are text stand on lines of their own, and media are left out. */
export function textOfContent(content: Content): string {
  if (typeof content === 'string') return content
  let text = ''
  let alone = false
  for (const part of content) {
    if (part.type !== 'text' || part.text === '') continue
    const isDocument = part.metadata?.factwire !== undefined
    text += text !== '' && (isDocument || alone) ? `\n${part.text}` : part.text
    alone = isDocument
  }
  return text
}

// ── Back ──

/** No block for an empty string. Sound and film become documents, by their address or their bytes. */
export function blocksOf(content: Content): readonly ContentBlock[] {
  if (typeof content !== 'string') return content.map(blockOf)
  return content === '' ? [] : [{ type: 'text', text: content }]
}

function blockOf(part: ContentPart): ContentBlock {
  const more = part.metadata?.factwire
  if (part.type !== 'text') return mediaBlock(part, more?.document)
  if (more?.block) return more.block
  const { media_type, ...named } = more?.document ?? {}
  if (media_type === undefined) return { type: 'text', text: part.text }
  return { type: 'document', source: { type: 'text', media_type, data: part.text }, ...named }
}

function mediaBlock({ type, source }: MediaPart, document: FactwireDocument = {}): ImageBlock | DocumentBlock {
  const from = blockSource(source)
  if (type === 'image') return { type, source: from }
  const { media_type: _, ...named } = document
  return { type: 'document', source: from, ...named }
}

function blockSource(source: Source): ImageBlock['source'] {
  switch (source.type) {
    case 'data':
      return { type: 'base64', media_type: source.mimeType, data: source.value }
    case 'url':
      return { type: 'url', url: source.value }
    case 'file':
      return { type: 'file', file_id: source.value }
  }
}
