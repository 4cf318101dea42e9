/** The life of one segment, the same on every wire: nothing before its start, nothing after its end, and always an end. */
import type { Delta, Fact } from './event.ts'
import { none, type Transcoder } from './protocol.ts'
import { decideEnd } from './terminal.ts'

export interface SegmentState {
  started: boolean
  /** The end was given. Whoever gives it says so. */
  ended: boolean
}

export interface SegmentParts<Frame> {
  /** Of a joined stream: what comes before everything else. */
  readonly opening: readonly Frame[] | undefined
  /** The frames of `run_started`. */
  start(): readonly Frame[]
  fact(fact: Fact): readonly Frame[]
  settled(): readonly Frame[]
  delta(delta: Delta): readonly Frame[]
  /** The producer is gone before the end: what is open is closed, and the segment ends as failed. */
  breakOff(): readonly Frame[]
}

export function segment<Frame>(state: SegmentState, parts: SegmentParts<Frame>): Transcoder<Frame> {
  let { opening } = parts

  function alive(frames: () => readonly Frame[]): readonly Frame[] {
    if (state.ended) return none
    const first = opening
    opening = undefined
    return first ? [...first, ...frames()] : frames()
  }

  return {
    fact: (fact) =>
      alive(() => {
        if (state.started) return parts.fact(fact)
        if (fact.type !== 'run_started') return none
        state.started = true
        return parts.start()
      }),
    settled: () => alive(parts.settled),
    delta(delta) {
      if (!state.started || state.ended) return none
      return opening ? alive(() => parts.delta(delta)) : parts.delta(delta)
    },
    close: () =>
      alive(() => (decideEnd({ ...state, exact: true, requested: 'failed' }) === 'failed' ? parts.breakOff() : none)),
  }
}
