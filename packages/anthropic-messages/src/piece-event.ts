/**
 * A delta that brings one piece of text, of thought or of arguments, as nearly every event does. All but the piece is the same from one
 * to the next of its block, so what stands around it is written once.
 */
import { type Template, escaped, onePiece, stringify } from '@factwire/core'
import type { WrittenBlockDelta, WrittenDelta } from './wire.ts'

/** Makes the deltas of a block that differ only in the piece, which is the last string in them. */
export function pieceEvents(
  index: number,
  deltaOf: (piece: string) => WrittenDelta,
): (piece: string) => WrittenBlockDelta {
  const json = stringify({ type: 'content_block_delta', index, delta: deltaOf('') })
  const at = json.lastIndexOf('""') + 1
  const before = onePiece('event: content_block_delta\ndata: ', json.slice(0, at))
  const after = onePiece(json.slice(at), '\n\n')
  const write: Template = (piece) => `${before}${escaped(piece)}${after}`
  return (piece) => new PieceEvent(index, deltaOf(piece), piece, write)
}

/** To everybody but the framing an event like any other. */
export class PieceEvent implements WrittenBlockDelta {
  readonly type = 'content_block_delta'
  readonly index: number
  readonly delta: WrittenDelta
  readonly #piece: string
  readonly #write: Template

  constructor(index: number, delta: WrittenDelta, piece: string, write: Template) {
    this.index = index
    this.delta = delta
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
