/** A stream without what a client has of it already, up to a number. */
import type { Transcoder } from '@factwire/core'
import { ELSEWHERE } from './counter.ts'
import { isDelta, withoutFirst } from './piece-event.ts'
import { DONE, type WrittenFrame } from './wire.ts'

const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** Of a fragment that was seen in part, the rest is told. The end is, whatever was seen: who asks has not understood it. */
export function cutAt(inner: Transcoder<WrittenFrame>, seen: number): Transcoder<WrittenFrame> {
  function unseen(frame: WrittenFrame): readonly WrittenFrame[] {
    if (frame === DONE) return [frame]
    const { sequence_number: number } = frame
    // What was said of a message that was never committed has numbers too.
    if (ENDS.has(frame.type)) return [number < seen ? { ...frame, sequence_number: seen + 1 } : frame]
    // A number that stands nowhere else says nothing of what was seen.
    if (number <= seen || seen >= ELSEWHERE) return []
    if (!isDelta(frame)) return [frame]
    const from = frame.sequence_number - frame.delta.length
    return from >= seen ? [frame] : [withoutFirst(frame, seen - from)]
  }
  const cut = (frames: readonly WrittenFrame[]): readonly WrittenFrame[] => frames.flatMap(unseen)

  return {
    fact: (fact) => cut(inner.fact(fact)),
    settled: () => cut(inner.settled()),
    delta: (delta) => cut(inner.delta(delta)),
    close: () => cut(inner.close()),
  }
}
