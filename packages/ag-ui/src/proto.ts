/**
 * AG-UI events as protobuf frames, and back, over the official `@ag-ui/proto`. A frame is the length of its message, in four bytes,
 * and the message.
 */
import { AGUIUnknownEventTypeError, decode, encode } from '@ag-ui/proto'
import { FactwireError, type OnUnknown } from '@factwire/core'
import { PROTO_MEDIA_TYPE } from './negotiate.ts'
import { parseAgUi } from './parse.ts'
import type { AgUiEvent } from './wire.ts'

export interface ProtoReaderOptions {
  /** Told of each event, field, role, part or operation that is not known here and dropped. */
  readonly onUnknown?: OnUnknown
  /** Longest accepted message, in bytes. Default 10 Mi, as clients have it. */
  readonly limit?: number
}

/** Bytes in, however they are cut, whole events out. */
export interface ProtoReader {
  /** @throws FactwireError `too_large`, `malformed_frame` or `invalid_value`. */
  push(bytes: Uint8Array): readonly AgUiEvent[]
  /** @throws FactwireError `truncated` in the middle of a frame. */
  end(): void
}

export interface ProtoFraming {
  readonly mediaType: string
  readonly headers: Readonly<Record<string, string>>
  /** A whole frame. There is none that says nothing, so this form has no heartbeat, and no place for a number. */
  bytes(event: AgUiEvent): Uint8Array
  reader(options?: ProtoReaderOptions): ProtoReader
}

const PREFIX = 4
const LIMIT = 10 * 1024 * 1024

export const protoFraming: ProtoFraming = {
  mediaType: PROTO_MEDIA_TYPE,
  headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
  bytes(event) {
    // The encoder's own type is one open record; it narrows what it reads.
    const message = encode(event as unknown as Parameters<typeof encode>[0])
    const frame = new Uint8Array(PREFIX + message.length)
    new DataView(frame.buffer).setUint32(0, message.length)
    frame.set(message, PREFIX)
    return frame
  },
  reader,
}

function reader({ onUnknown, limit = LIMIT }: ProtoReaderOptions = {}): ProtoReader {
  let pieces: Uint8Array[] = []
  let size = 0
  let number = 0

  /** What is there in one piece. Only done once enough is there, so that a frame in many pieces is copied once. */
  function whole(): Uint8Array {
    const [first] = pieces
    if (pieces.length === 1 && first) return first
    const joined = new Uint8Array(size)
    let at = 0
    for (const piece of pieces) {
      joined.set(piece, at)
      at += piece.length
    }
    pieces = [joined]
    return joined
  }

  function fail(code: 'too_large' | 'malformed_frame' | 'truncated', message: string, cause?: unknown): never {
    throw new FactwireError(code, message, { protocol: 'ag-ui', frame: number, ...(cause ? { cause } : {}) })
  }

  /** Length of the next message, once its prefix is there. */
  let length: number | undefined

  function readLength(): void {
    if (length !== undefined || size < PREFIX) return
    const bytes = whole()
    length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0)
    if (length > limit) fail('too_large', `a frame of ${length} bytes, at most ${limit} allowed`)
    if (length === 0) fail('malformed_frame', 'a frame without a message')
  }

  function event(message: Uint8Array): AgUiEvent | undefined {
    let value: unknown
    try {
      value = decode(message)
    } catch (cause) {
      if (!(cause instanceof AGUIUnknownEventTypeError)) fail('malformed_frame', 'a frame that is no event', cause)
      onUnknown?.('type', undefined)
      return undefined
    }
    return parseAgUi(value, onUnknown)
  }

  return {
    push(bytes) {
      if (bytes.length === 0) return []
      pieces.push(bytes)
      size += bytes.length
      const events: AgUiEvent[] = []
      for (readLength(); length !== undefined && size >= PREFIX + length; readLength()) {
        const joined = whole()
        const end = PREFIX + length
        const read = event(joined.subarray(PREFIX, end))
        if (read) events.push(read)
        pieces = [joined.subarray(end)]
        size -= end
        length = undefined
        number++
      }
      return events
    },
    end() {
      if (size > 0) fail('truncated', 'the stream ended in the middle of a frame')
    },
  }
}

export { negotiate, PROTO_MEDIA_TYPE } from './negotiate.ts'
