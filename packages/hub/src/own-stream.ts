/**
 * The stream of one reader that does not go with the others: it came late, came back, or fell behind.
 *
 * It has a transcoder of its own, takes every fact in its order, and of the deltas only what is open now, merged. Where nothing
 * is open it can go back to the bytes that the others share.
 */
import { type Delta, type Fact, type RunContext, type RunState, type Transcoder, text } from '@factwire/core'
import { encode } from './bytes.ts'
import type { Channel, Cursor, Place } from './channel.ts'
import type { LiveRun } from './live-run.ts'
import { type Piece, type Reached, deltasAfter } from './open-step.ts'
import type { Setting } from './setting.ts'
import type { StoredFact } from './store.ts'

/** Where it begins. */
export type OwnStart =
  /** The reader gets the whole: the thread, then the open step. `reset`: what it sees of its step is taken back first. */
  | { readonly type: 'fresh'; readonly reset: boolean }
  /** The reader has these facts of its segment, and after them these deltas: they are gone through again, and not written. */
  | {
      readonly type: 'known'
      /** Number of the first fact of the segment. */
      readonly segment: number
      /** Number of the last fact that it has. */
      readonly fact: number
      readonly deltas: readonly Delta[]
      readonly reached?: Reached
      /** Number of the last event that it has. */
      readonly seen: number
    }

export interface Taken {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** There is nothing after it. */
  readonly over: boolean
  /** From here on the shared bytes will do. */
  readonly back: Back | undefined
}

/** A place in the shared bytes, and where the run stood there: it may have gone on since. */
export interface Back {
  readonly cursor: Cursor
  readonly place: Place
}

export interface OwnStream {
  /** What there is to write; undefined for nothing yet, a promise while the store is read. */
  take(): Taken | Promise<unknown> | undefined
}

/** Whether a response goes on after a segment. */
export type Spans = 'run' | 'segment'

const STAND_IN = 'factwire-unknown'
/** Facts in one turn, gone through or written. */
const SLICE = 64

export function ownStream(run: LiveRun, shared: Channel, spans: Spans, start: OwnStart, setting: Setting): OwnStream {
  const { wire, options } = shared
  const { limits, counters } = setting
  const { now } = run.thread
  const known = start.type === 'known' ? start.fact : now.lastFact
  let transcoder: Transcoder<unknown> | undefined
  let lastFact = start.type === 'known' ? start.segment - 1 : now.lastFact
  let seen = start.type === 'known' ? start.seen : now.lastFact
  let reached: Reached | undefined = start.type === 'known' ? start.reached : undefined
  /** What the store has given. */
  let page: readonly StoredFact[] | undefined
  let out = ''
  let over = false
  let back: Back | undefined
  /** Facts that are left of a turn. */
  let slice = SLICE

  function write(frames: readonly unknown[], seq?: number): void {
    out += text(wire.framing, frames, seq)
  }

  function begin(): void {
    if (start.type === 'known') {
      if (known < start.segment) passDeltas(start.deltas)
      return
    }
    if (now.revision === 0) return
    // The open step comes delta by delta, each with its number: who is cut off in the middle of it says so.
    const joined = { committed: now.committed(), open: [] }
    transcoder = wire.transcoder(now.context, options, joined)
    if (start.reset) withdraw(now.context)
    write(transcoder.settled(), seen)
    over = endsWith(now.standing.state)
    if (run.head === lastFact) back = canGoBack(lastFact)
  }

  function endsWith(state: RunState | undefined): boolean {
    return state?.type === 'ended' || (state?.type === 'awaiting' && spans === 'segment')
  }

  /**
   * What the reader was shown and nobody knows any more is stood for by a fragment of its own, which is then taken back. That
   * frame has no number: until the thread has come again, the reader stands where it stood.
   */
  function withdraw(context: RunContext): void {
    const lost = wire.transcoder(context, options, { committed: { messages: [], standing: RUNNING }, open: [LOST] })
    lost.settled()
    write(lost.delta({ type: 'stream_reset', reason: 'what was shown of this step is told again' }))
  }

  function takeFact({ seq, fact, last }: StoredFact): void {
    if (fact.type === 'run_started') {
      transcoder = wire.transcoder(run.thread.contextAt(seq), options)
    }
    lastFact = seq
    if (seq <= known) passFact(fact, last)
    else showFact(seq, fact, last)
  }

  function passFact(fact: Fact, last: boolean): void {
    transcoder?.fact(fact)
    if (last) transcoder?.settled()
    if (lastFact === known && start.type === 'known') passDeltas(start.deltas)
  }

  function passDeltas(deltas: readonly Delta[]): void {
    for (const delta of deltas) transcoder?.delta(delta)
  }

  function showFact(seq: number, fact: Fact, last: boolean): void {
    counters.deltasSkipped += Math.max(seq - seen - 1, 0)
    counters.factsBehind++
    seen = Math.max(seen, seq)
    if (!transcoder) return
    write(transcoder.fact(fact), seq)
    if (last) write(transcoder.settled())
    over ||= ends(fact)
  }

  const ends = ({ type }: Fact): boolean =>
    type === 'run_finished' || type === 'run_failed' || (type === 'awaiting' && spans === 'segment')

  /** After the last fact of a commit that left nothing open, the reader sees what the others see. */
  function canGoBack(seq: number): Back | undefined {
    const { now } = run.thread
    if (seq !== now.lastFact || !run.clean || over) return undefined
    const waits = now.standing.state?.type === 'awaiting'
    if (now.standing.openCalls.length > 0 && !waits) return undefined
    if (!waits && shared.rests === false) return undefined
    run.encodePending()
    const cursor = shared.after(seq, true)
    return cursor && { cursor, place: { seq, moment: now, reached: NOTHING_OPEN } }
  }

  function takeFacts(facts: readonly StoredFact[]): void {
    for (const fact of facts) {
      takeFact(fact)
      slice--
      const isKnown = fact.seq <= known
      if (fact.last && !isKnown) back = canGoBack(fact.seq)
      const isEnough = slice <= 0 || out.length >= limits.writeBytes
      // What is written of a commit is written in one piece.
      if (back || over || (isEnough && (fact.last || isKnown))) return
    }
  }

  function takeOpen(): void {
    for (const { seq, delta } of deltasAfter(run.open, reached, isSeen)) {
      if (transcoder) write(transcoder.delta(delta), seq)
      seen = Math.max(seen, seq)
    }
    reached = run.open.reached()
  }

  // What an earlier commit has left open is older than its facts, and still new to who has just come.
  const isSeen = ({ to }: Piece): boolean => to <= seen && (start.type === 'known' || reached !== undefined)

  function turn(facts: readonly StoredFact[]): void {
    page = facts
  }

  function cut(): Taken {
    const bytes = encode(out)
    out = ''
    counters.catchUpBytes += bytes.length
    return { bytes, over, back }
  }

  begin()
  return {
    take() {
      slice = SLICE
      while (!back && !over && out.length < limits.writeBytes && lastFact < run.thread.now.lastFact) {
        const facts = page ?? run.factsAfter(lastFact)
        page = undefined
        if (facts instanceof Promise) return out === '' ? facts.then(turn) : cut()
        if (facts.length === 0) throw new TypeError(`the store lacks facts of ${run.run.runId} after ${lastFact}`)
        takeFacts(facts)
        // Others have their turn.
        if (slice <= 0 && !back && !over) return cut()
      }
      if (!back && !over && lastFact === run.thread.now.lastFact) takeOpen()
      return out === '' && !back && !over ? undefined : cut()
    },
  }
}

const NOTHING_OPEN: Reached = { pieces: [], count: 0, units: 0 }
const RUNNING = { state: { type: 'running' }, openCalls: [] } as const
const LOST: Delta = { type: 'text_delta', delta: '…', message_id: STAND_IN, offset: 0 }
