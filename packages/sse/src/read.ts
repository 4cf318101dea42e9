/**
 * Bytes or text in, whole SSE messages out, however they were cut.
 *
 * It reads as the standard says, but for three things: an unfinished last message is given too, `id` is that of its own
 * message only, and lines outside the grammar are given as stray. `retry` and comments are skipped.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
import { FactwireError, type WireMessage, none } from '@factwire/core'
import { type EventSourceMessage, type ParseError, createParser } from 'eventsource-parser'

export interface ReadOptions {
  /** Longest accepted message, in UTF-16 units of its data, event name and id. Default 16 Mi. */
  readonly maxSize?: number
}

/** Reads pieces of one stream as they come. */
export interface SseReader {
  /**
   * The messages that this piece completes. @throws FactwireError `too_large`, at once or, after messages, at the next
   * call.
   */
  push(chunk: Uint8Array | string): readonly WireMessage[]
  /** The stream is over: the message that was still open, if any, marked as cut. */
  end(): readonly WireMessage[]
}

export type SseSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> | Response

const DEFAULT_MAX_SIZE = 16 * 1024 * 1024
/** Room for a field's name before its value in a line that is not complete. */
const FIELD_NAME = 16
const BYTE_ORDER_MARK = 0xfeff
const LINE_FEED = 0x0a

export function createSseReader({ maxSize = DEFAULT_MAX_SIZE }: ReadOptions = {}): SseReader {
  // The mark is taken off below: a decoder would take off another one after each flush.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let messages: WireMessage[] = []
  let failure: FactwireError | undefined
  let begun = false
  let afterReturn = false

  const parser = createParser({
    maxBufferSize: maxSize + FIELD_NAME,
    onEvent: (message) => give(messageOf(message), sizeOf(message)),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') fail()
      else if (error.type === 'unknown-field') give(strayOf(error), error.line?.length ?? 0)
    },
  })
  // The parser takes three letters that look like the bytes of a mark off its first chunk.
  parser.feed('')

  function give(message: WireMessage, size: number): void {
    if (failure) return
    if (size > maxSize) fail()
    else messages.push(message)
  }

  function fail(): void {
    failure ??= new FactwireError('too_large', `an SSE message of more than ${maxSize} units`, { protocol: 'sse' })
  }

  /** One kind of line end for the parser, which would wait at a CR for the LF that may follow. */
  function withLineFeeds(text: string): string {
    const from = afterReturn && text.charCodeAt(0) === LINE_FEED ? 1 : 0
    afterReturn = text.endsWith('\r')
    const rest = from === 0 ? text : text.slice(from)
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest
  }

  function feed(text: string): void {
    if (text === '' || failure) return
    const marked = !begun && text.charCodeAt(0) === BYTE_ORDER_MARK
    begun = true
    parser.feed(withLineFeeds(marked ? text.slice(1) : text))
  }

  /** What came before a failure is given first. */
  function taken(): readonly WireMessage[] {
    if (messages.length === 0) {
      if (failure) throw failure
      return none
    }
    const given = messages
    messages = []
    return given
  }

  return {
    push(chunk) {
      if (typeof chunk === 'string') {
        // Bytes of a character that was cut stand before this text.
        feed(decoder.decode())
        feed(chunk)
      } else feed(decoder.decode(chunk, { stream: true }))
      return taken()
    },
    end() {
      feed(decoder.decode())
      const whole = messages.length
      feed('\n\n')
      if (failure) throw failure
      messages = messages.map((message, index) => (index < whole ? message : { ...message, cut: true }))
      return taken()
    },
  }
}

/** Reads a whole stream. A reader that leaves early cancels it. @throws FactwireError `too_large`. */
export async function* readSse(source: SseSource, options: ReadOptions = {}): AsyncGenerator<WireMessage> {
  const reader = createSseReader(options)
  for await (const chunk of chunksOf(source)) {
    for (const message of reader.push(chunk)) yield message
  }
  yield* reader.end()
}

async function* chunksOf(source: SseSource): AsyncGenerator<Uint8Array | string> {
  if ('getReader' in source) yield* bytesOf(source)
  else if (Symbol.asyncIterator in source) yield* source
  else if (source.body) yield* bytesOf(source.body)
}

/** By its reader: not every browser can iterate a stream. */
async function* bytesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  let finished = false
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
    finished = true
  } finally {
    if (finished) reader.releaseLock()
    // A stream that broke reports that to whoever reads it, so here it may reject unheard.
    else await reader.cancel().catch(() => undefined)
  }
}

function messageOf({ data, event, id }: EventSourceMessage): WireMessage {
  if (event === undefined) return id === undefined ? { data } : { data, id }
  return id === undefined ? { data, event } : { data, event, id }
}

function sizeOf({ data, event, id }: EventSourceMessage): number {
  return data.length + (event?.length ?? 0) + (id?.length ?? 0)
}

function strayOf({ line }: ParseError): WireMessage {
  return { data: line ?? '', stray: true }
}
