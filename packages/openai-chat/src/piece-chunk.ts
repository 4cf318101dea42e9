/**
 * A chunk that brings one piece of text, of thought or of arguments, as nearly every chunk does. All but the piece is the same
 * from one to the next, so what stands around it is written once.
 */
import { type Template, escaped, onePiece, stringify } from '@factwire/core'
import type { ChunkHead, WrittenChunk, WrittenDelta } from './wire.ts'

/** Makes the chunks of an answer that differ only in the piece, which is the last string in a delta. */
export function pieceChunks(
  head: ChunkHead,
  deltaOf: (piece: string) => WrittenDelta,
): (piece: string) => WrittenChunk {
  const { id, object, created, model } = head
  const json = stringify({ id, object, created, model, choices: choicesOf(deltaOf('')) })
  const at = json.lastIndexOf('""') + 1
  const before = onePiece('data: ', json.slice(0, at))
  const after = onePiece(json.slice(at), '\n\n')
  const write: Template = (piece) => `${before}${escaped(piece)}${after}`
  return (piece) => new PieceChunk(head, deltaOf(piece), piece, write)
}

/** To everybody but the framing a chunk like any other. */
export class PieceChunk implements WrittenChunk {
  readonly id: string
  readonly object: ChunkHead['object']
  readonly created: number
  readonly model: string
  readonly choices: WrittenChunk['choices']
  readonly #piece: string
  readonly #write: Template

  constructor({ id, object, created, model }: ChunkHead, delta: WrittenDelta, piece: string, write: Template) {
    this.id = id
    this.object = object
    this.created = created
    this.model = model
    this.choices = choicesOf(delta)
    this.#piece = piece
    this.#write = write
  }

  /** Writes whole SSE messages like this one, but for the piece. */
  get template(): Template {
    return this.#write
  }

  /** The whole SSE message. */
  text(): string {
    return this.#write(this.#piece)
  }
}

const choicesOf = (delta: WrittenDelta): WrittenChunk['choices'] => [{ index: 0, delta, finish_reason: null }]
