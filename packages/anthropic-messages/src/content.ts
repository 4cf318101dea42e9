/**
 * Content blocks as the wire takes them. What it refuses, such as an empty text or an image of a kind that it does not know, is stated as
 * text, for the model to know that something was there.
 */
import { type ContentBlock, type DocumentBlock, type ImageBlock, type SearchResultBlock, textOf } from '@factwire/core'
import type { ContentParam, DocumentParam, ImageParam, ImageType } from './param.ts'
import type { TextBlock } from './wire.ts'

/** Calls and thoughts are no content here. */
export function contentParams(blocks: readonly ContentBlock[]): ContentParam[] {
  return blocks.flatMap((block): ContentParam[] => {
    switch (block.type) {
      case 'text':
        return texts(block.text)
      case 'image':
        return [imageParam(block)]
      case 'document':
        return [documentParam(block)]
      case 'search_result':
        return searchParams(block)
      case 'redacted':
        return texts('[withheld]')
      case 'tool_result':
        return contentParams(block.content)
      case 'tool_use':
      case 'thinking':
        return []
    }
  })
}

export const texts = (text: string): TextBlock[] => (text === '' ? [] : [{ type: 'text', text }])

/** Texts that stand next to each other as one, and none of white space alone: the wire refuses that. */
export function joinedTexts<Block extends { readonly type: string }>(
  blocks: readonly (Block | TextBlock)[],
): (Block | TextBlock)[] {
  const joined: (Block | TextBlock)[] = []
  for (const block of blocks) {
    const last = joined.at(-1)
    if (last && isText(last) && isText(block))
      joined[joined.length - 1] = { type: 'text', text: last.text + block.text }
    else joined.push(block)
  }
  return joined.filter((block) => !isText(block) || block.text.trim() !== '')
}

const isText = (block: { readonly type: string }): block is TextBlock => block.type === 'text'

const IMAGE_TYPES: readonly ImageType[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

function imageParam({ source }: ImageBlock): ImageParam | TextBlock {
  if (source.type !== 'base64') return { type: 'image', source }
  const media_type = IMAGE_TYPES.find((known) => known === source.media_type)
  if (!media_type) return { type: 'text', text: `[image ${source.media_type}]` }
  return { type: 'image', source: { type: 'base64', media_type, data: source.data } }
}

function documentParam(document: DocumentBlock): DocumentParam | TextBlock {
  const source = documentSource(document.source)
  const { title, context } = document
  if (!source) return { type: 'text', text: stated(document) }
  return {
    type: 'document',
    source,
    ...(title === undefined || title === '' ? {} : { title }),
    ...(context === undefined || context === '' ? {} : { context }),
  }
}

function documentSource(source: DocumentBlock['source']): DocumentParam['source'] | undefined {
  switch (source.type) {
    case 'url':
    case 'file':
      return source
    case 'text':
      // The wire refuses an empty one. Whatever text it is, it is plain to a model.
      return source.data === '' ? undefined : { type: 'text', media_type: 'text/plain', data: source.data }
    case 'base64': {
      const { media_type, data } = source
      return media_type === 'application/pdf' ? { type: 'base64', media_type, data } : undefined
    }
  }
}

function stated({ source, title, context }: DocumentBlock): string {
  const kind = 'media_type' in source ? source.media_type : ''
  const label = `[${['document', title, kind].filter((word) => word !== undefined && word !== '').join(' ')}]`
  return context ? `${label}\n${context}` : label
}

/** One without text is an address, and that is text. */
function searchParams(result: SearchResultBlock): ContentParam[] {
  const { source, title, citations } = result
  const content = result.content.flatMap(({ text }) => texts(text))
  if (content.length > 0) {
    return [{ type: 'search_result', source, title, content, ...(citations ? { citations } : {}) }]
  }
  return texts([title, source, textOf(result.content)].filter((line) => line !== '').join('\n'))
}
