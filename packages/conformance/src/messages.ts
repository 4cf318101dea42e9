/** Bytes as a network would cut them, and the messages that a reader of server-sent events makes of them. */
import type { WireMessage } from '@factwire/core'
import { createParser } from 'eventsource-parser'

const encoder = new TextEncoder()

/** The bytes of a text, cut at the given places. */
export function cutBytes(text: string, places: readonly number[]): Uint8Array[] {
  const bytes = encoder.encode(text)
  const bounds = [0, ...places.map((place) => Math.min(Math.max(place, 0), bytes.length)), bytes.length]
  bounds.sort((a, b) => a - b)
  return bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end))
}

/** One byte at a time. */
export function singleBytes(text: string): Uint8Array[] {
  return Array.from(encoder.encode(text), (byte) => Uint8Array.of(byte))
}

/** What is no whole message at the end is dropped, as the format says. */
export function readMessages(chunks: Iterable<Uint8Array>): WireMessage[] {
  const messages: WireMessage[] = []
  const decoder = new TextDecoder()
  const parser = createParser({
    onEvent: ({ data, event, id }) =>
      void messages.push({ data, ...(event === undefined ? {} : { event }), ...(id === undefined ? {} : { id }) }),
  })
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }))
  parser.feed(decoder.decode())
  return messages
}
