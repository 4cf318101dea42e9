/**
 * A chunk that says one piece of text, as nearly every chunk does. All but the piece is the same in a whole answer, so what
 * stands around it is written once.
 */
import { escaped, stringify } from '@factwire/core'
import type { ChunkHead, WrittenChunk } from './wire.ts'

export type ContentChunks = (content: string) => ContentChunk

/** Makes the chunks of one answer. */
export function contentChunks(head: ChunkHead): ContentChunks {
  const before = `data: ${stringify(head).slice(0, -1)},"choices":[{"index":0,"delta":{"content":"`
  return (content) => new ContentChunk(head, content, before)
}

/** To everybody but the framing a chunk like any other. */
export class ContentChunk implements WrittenChunk {
  readonly id: string
  readonly object: ChunkHead['object']
  readonly created: number
  readonly model: string
  readonly choices: WrittenChunk['choices']
  readonly #content: string
  readonly #before: string

  constructor({ id, object, created, model }: ChunkHead, content: string, before: string) {
    this.id = id
    this.object = object
    this.created = created
    this.model = model
    this.choices = [{ index: 0, delta: { content }, finish_reason: null }]
    this.#content = content
    this.#before = before
  }

  /** The whole SSE message. */
  text(): string {
    return `${this.#before}${escaped(this.#content)}"},"finish_reason":null}]}\n\n`
  }
}
