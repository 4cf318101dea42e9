/**
 * The stream of one reader that does not go with the others: it came late, came back, or fell behind.
 *
 * It has a transcoder of its own, takes every fact in its order, and of the deltas only what is open now, merged. Where nothing
 * is open it can go back to the bytes that the others share.
 */
import { type Delta, type Fact, type RunContext, type RunState, type Transcoder, text } from '@factwire/core'
import { encode } from './bytes.ts'
import type { Channel } from './channel.ts'
import { type Back, backTo } from './going-back.ts'
import type { LiveRun } from './live-run.ts'
import { type Missed, missedOf, missedOfOpen, restAfter } from './missed.ts'
import type { Piece, Reached } from './open-step.ts'
import { isEnd } from './rests.ts'
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

export interface OwnStream {
  /**
   * What there is to write; undefined for nothing yet, a promise while the store is read. `lost`: what was shown meanwhile is forgotten, so
   * that the reader cannot be told what was taken back of it.
   */
  take(): Taken | 'lost' | Promise<unknown> | undefined
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
  /** What was shown after this fact must be remembered: it may have to be taken back, and some wires number their parts by all of it. */
  const counts = start.type !== 'known' || !start.reached ? now.lastFact : shared.rests === true ? known : -1
  let transcoder: Transcoder<unknown> | undefined
  let lastFact = start.type === 'known' ? start.segment - 1 : now.lastFact
  let seen = start.type === 'known' ? start.seen : now.lastFact
  let reached: Reached | undefined = start.type === 'known' ? start.reached : undefined
  /** What the store has given. */
  let page: readonly StoredFact[] | undefined
  let out = ''
  /** The last frames of the segment. */
  let lately: readonly unknown[] = []
  /** The next fact is the first of its commit. */
  let commits = true
  let over = false
  let lost = false
  let back: Back | undefined
  /** Facts that are left of a turn. */
  let slice = SLICE

  function write(frames: readonly unknown[], seq?: number): void {
    if (frames.length > 0) lately = frames
    out += text(wire.framing, frames, seq)
  }

  function begin(): void {
    if (start.type === 'known') {
      if (known < start.segment) passDeltas(start.deltas)
      return
    }
    if (now.revision === 0) return
    // The open step comes delta by delta, each with its number: who is cut off in the middle of it says so. But what a commit has left open
    // is older than the last fact.
    transcoder = wire.transcoder(now.context, options, { committed: now.committed(), open: [] })
    if (start.reset) withdraw(now.context)
    write(transcoder.settled(), seen)
    const left = run.open.pieces.filter(({ to }) => to <= seen)
    for (const { delta } of missedOfOpen(left, (piece) => piece.delta)) write(transcoder.delta(delta), seen)
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
    lost = commits && seq > counts && !run.past.remembers(seq - 1)
    if (lost) return
    if (commits) takeBefore(seq)
    commits = last
    if (fact.type === 'run_started') {
      transcoder = wire.transcoder(run.thread.contextAt(seq), options)
      lately = []
    }
    lastFact = seq
    if (seq <= known) passFact(fact, last)
    else showFact(seq, fact, last)
  }

  /** What was shown before a commit. */
  function takeBefore(seq: number): void {
    if (seq <= known) passDeltas(run.past.before(seq).map(({ delta }) => delta))
    else if (run.past.tellsMore(seq)) show(missedOf(run.past.before(seq), restOf))
  }

  /**
   * Nothing of it is written: it was seen. Who came by a join has seen another stream of it: where this one fails, what that knew to mend
   * is forgotten, and what comes cannot be told.
   */
  function passFact(fact: Fact, last: boolean): void {
    pass(transcoder?.fact(fact))
    if (last) pass(transcoder?.settled())
    if (lastFact !== known || start.type !== 'known') return
    passDeltas(start.deltas)
    const isOver = ends(fact) || fact.type === 'awaiting'
    lost = !isOver && shared.from >= start.segment && isEnd(wire, options, now.context, lately) === true
  }

  function passDeltas(deltas: readonly Delta[]): void {
    for (const delta of deltas) pass(transcoder?.delta(delta))
  }

  function pass(frames: readonly unknown[] = []): void {
    if (frames.length > 0) lately = frames
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

  const canGoBack = (seq: number): Back | undefined => (over ? undefined : backTo(run, shared, seq, goesOn))

  function takeFacts(facts: readonly StoredFact[]): void {
    for (const fact of facts) {
      takeFact(fact)
      if (lost) return
      slice--
      const isKnown = fact.seq <= known
      if (fact.last && !isKnown) back = canGoBack(fact.seq)
      const isEnough = slice <= 0 || out.length >= limits.writeBytes
      // What is written of a commit is written in one piece.
      if (back || over || (isEnough && (fact.last || isKnown))) return
    }
  }

  const goesOn = (): boolean => isEnd(wire, options, now.context, lately) === false

  function takeOpen(): void {
    show(missedOfOpen(run.open.pieces, restOf))
    reached = run.open.reached()
  }

  const restOf = (piece: Piece): Delta | undefined => restAfter(piece, seen, reached)

  function show(missed: Iterable<Missed>): void {
    for (const { seq, delta } of missed) {
      if (transcoder) write(transcoder.delta(delta), seq)
      if (seq !== undefined) seen = Math.max(seen, seq)
    }
  }

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
      while (!back && !over && !lost && out.length < limits.writeBytes && lastFact < run.thread.now.lastFact) {
        const facts = page ?? run.factsAfter(lastFact)
        page = undefined
        if (facts instanceof Promise) return out === '' ? facts.then(turn) : cut()
        if (facts.length === 0) throw new TypeError(`the store lacks facts of ${run.run.runId} after ${lastFact}`)
        takeFacts(facts)
        // Others have their turn.
        if (slice <= 0 && !back && !over) return cut()
      }
      if (lost && out === '') return 'lost'
      if (!back && !over && !lost && lastFact === run.thread.now.lastFact) takeOpen()
      return out === '' && !back && !over ? undefined : cut()
    },
  }
}

const RUNNING = { state: { type: 'running' }, openCalls: [] } as const
const LOST: Delta = { type: 'text_delta', delta: '…', message_id: STAND_IN, offset: 0 }
