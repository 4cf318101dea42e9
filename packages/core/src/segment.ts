/** The life of one segment, the same on every wire: nothing before its start, nothing after its end, and always an end. */
import type { Delta, Fact } from './event.ts'
import { endFact } from './end-fact.ts'
import type { Preview } from './preview.ts'
import { type Committed, none, type Transcoder } from './protocol.ts'
import { decideEnd } from './terminal.ts'

export interface SegmentState {
  started: boolean
  /** The end was given. Whoever gives it says so. */
  ended: boolean
}

export interface SegmentParts<Frame> {
  /** What the deltas of text, of reasoning and of calls go through. */
  readonly preview: Preview
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

/** The fact with which a run that is joined has ended or waits already. */
export function endOf({ standing, pending, result }: Committed): Fact | undefined {
  const { state } = standing
  if (!state) return undefined
  return endFact({ state, ...(pending ? { pending } : {}), ...(result === undefined ? {} : { result }) }, true)
}

export function segment<Frame>(state: SegmentState, parts: SegmentParts<Frame>): Transcoder<Frame> {
  let { opening } = parts
  /** The last thing that was asked for, where it was a delta that gave one frame. */
  let before: Delta | undefined

  function opened(frames: readonly Frame[]): readonly Frame[] {
    const first = opening
    opening = undefined
    before = undefined
    return first ? [...first, ...frames] : frames
  }

  function told(fact: Fact): readonly Frame[] {
    if (state.started) return parts.fact(fact)
    if (fact.type !== 'run_started') return none
    state.started = true
    return parts.start()
  }

  function closed(): readonly Frame[] {
    return decideEnd({ ...state, exact: true, requested: 'failed' }) === 'failed' ? parts.breakOff() : none
  }

  return {
    fact: (fact) => opened(state.ended ? none : told(fact)),
    settled: () => opened(state.ended ? none : parts.settled()),
    delta(delta) {
      const frames = state.started && !state.ended ? parts.delta(delta) : none
      if (opening) return opened(frames)
      before = frames.length === 1 ? delta : undefined
      return frames
    },
    next: (delta) => (before && !state.ended ? parts.preview.next(before, delta) : undefined),
    close: () => opened(state.ended ? none : closed()),
  }
}
