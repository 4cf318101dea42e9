/** The life of one segment, the same on every wire: nothing before its start, nothing after its end, and always an end. */
import type { Delta, Fact } from './event.ts'
import { fold } from './fold.ts'
import { type Committed, none, type Transcoder } from './protocol.ts'
import { decideEnd } from './terminal.ts'
import type { Commit } from './thread.ts'

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

/** The fact with which a run that is joined has ended or waits already. */
export function endOf({ standing, pending, result }: Committed): Fact | undefined {
  const { state } = standing
  if (!state || state.type === 'running') return undefined
  const commit: Commit = {
    messages: [],
    state,
    ...(pending ? { pending } : {}),
    ...(result === undefined ? {} : { result }),
  }
  return fold(commit, { state: { type: 'running' }, openCalls: [] }).facts.at(-1)
}

export function segment<Frame>(state: SegmentState, parts: SegmentParts<Frame>): Transcoder<Frame> {
  let { opening } = parts

  function opened(frames: readonly Frame[]): readonly Frame[] {
    const first = opening
    opening = undefined
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
      return opening ? opened(frames) : frames
    },
    close: () => opened(state.ended ? none : closed()),
  }
}
