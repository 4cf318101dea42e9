/** Bytes in, lines out; a line ends with LF or CRLF, and the last one needs no end. */
import { FactwireError } from '@factwire/core'
import type { Bytes } from './source.ts'

const LIMIT = 16 * 1024 * 1024
const LF = 0x0a

/** @throws FactwireError when a line is longer than 16 MiB or is not UTF-8. */
export async function* lines(source: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  /** The line that has not ended yet. */
  let pieces: Uint8Array[] = []
  let length = 0

  function add(piece: Uint8Array): void {
    length += piece.length
    if (length > LIMIT) throw new FactwireError('too_large', `longer than ${LIMIT} bytes`)
    pieces.push(piece)
  }
  function take(): string {
    const bytes = Buffer.concat(pieces, length)
    pieces = []
    length = 0
    try {
      const text = decoder.decode(bytes)
      return text.endsWith('\r') ? text.slice(0, -1) : text
    } catch (cause) {
      throw new FactwireError('malformed_frame', 'not UTF-8', { cause })
    }
  }

  for await (const chunk of source) {
    let start = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      add(chunk.subarray(start, end))
      yield take()
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
  if (length > 0) yield take()
}
