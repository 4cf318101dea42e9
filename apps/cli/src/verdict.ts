/** What is wrong with a stream that was read or written, as one line that also says what to do about it. */
import type { Decodable, Encodable, Failure } from '@factwire/core'
import { isCommit } from '@factwire/core'
import { createSseReader } from '@factwire/sse'
import type { Input } from './input.ts'
import { sourceName } from './source.ts'

const ADVICE = new Map([
  ['stream_malformed', 'repair it there, or check that --from names the right wire'],
  ['stream_truncated', 'record it again, from its start to its end'],
  ['stream_failed', 'it could not be read on; try again'],
])

/** Undefined where the stream was good. */
export function inputVerdict(file: string, { failure }: Input): string | undefined {
  const bad = failure()
  if (!bad) return undefined
  return `${sourceName(file)}: ${bad.message ?? bad.code}; ${ADVICE.get(bad.code) ?? ''}`
}

/** What a good run became when the wire could not show it. */
export function outputVerdict({ code, message }: Failure, wire: string): string {
  const repair =
    code === 'stream_reconciliation_failed' ? '; a wire that repairs needs the earlier messages: --history' : ''
  return `the ${wire} that was written ends as failed: ${message ?? code} (${code})${repair}`
}

/** How a reader of the wire takes the last text of a segment, if as a failure that it spells. */
export function failureIn(wire: Encodable<unknown> & Partial<Decodable<unknown>>, text: string): Failure | undefined {
  if (!wire.decoder) return undefined
  const { push, end } = createSseReader()
  const decoder = wire.decoder()
  const frames = [...push(new TextEncoder().encode(text)), ...end()].map((message) => wire.framing.parse(message))
  const items = [...frames.flatMap((frame) => (frame === undefined ? [] : decoder.push(frame))), ...decoder.end()]
  for (const item of items) {
    if (!isCommit(item) || item.state.type !== 'ended' || item.state.cause.type !== 'error') continue
    const { failure } = item.state.cause
    // Of the beginning that it was not given, a reader complains in its own words.
    if (text.includes(failure.code)) return failure
  }
  return undefined
}
