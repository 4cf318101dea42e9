/** One thing that providers and networks do to a stream, and what a decoder owes to it. */
import type { Expected } from './outcome.ts'
import type { Speaker, SpokenCall } from './speaker.ts'

export interface Torture {
  /** What is done, as a sentence about the stream. */
  readonly name: string
  /** The stream. Undefined where the wire has no words for it. */
  stream(say: Speaker): Stream | undefined
  readonly expects: Expected | ((say: Speaker) => Expected)
}

/** Text is tried whole and byte by byte, chunks as they are. */
export type Stream = string | readonly Uint8Array[]

export const FIRST: SpokenCall = { index: 0, id: 'call-a', name: 'search' }
export const SECOND: SpokenCall = { index: 1, id: 'call-b', name: 'read' }

/** Parts of a stream, one after the other; undefined where one of them cannot be said. */
export function spoken(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join('')
}

/** The end mark, where the wire has one. */
export const done = (say: Speaker): string => say.done() ?? ''

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
