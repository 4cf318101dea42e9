/**
 * One wire of one run: every event is encoded once, and the bytes of late are kept for all who read.
 *
 * What comes in one tick is one block, the same bytes for every reader. A reader is a place in the blocks, never a queue.
 */
import {
  type Delta,
  type Encodable,
  type Fact,
  type Joined,
  type RunContext,
  type Template,
  text,
  type Transcoder,
} from '@factwire/core'
import { encode, joined } from './bytes.ts'
import type { Reached } from './open-step.ts'
import { isEnd, restsBetween } from './rests.ts'
import type { Moment } from './thread-view.ts'

export type Wire = Encodable<unknown>

/** Where a run stood: what was committed, and what was shown of the step that was not. */
export interface Place {
  /** Number of the last event. */
  readonly seq: number
  readonly moment: Moment
  readonly reached: Reached
}

/** What a block ends with: nothing in particular, a segment after which the run waits, or the run. */
export type Ends = 'segment' | 'run' | undefined

export interface Block {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly entries: readonly Entry[]
  /** Where a reader stands who has all of it. */
  readonly place: Place
  readonly ends: Ends
}

/** Where the frames of one event end. `settled`: those that came once its commit was complete, and carry no number. */
interface Entry {
  readonly seq: number
  readonly settled: boolean
  end: number
}

/** A block by its number, and how many bytes of it to leave out. */
export interface Cursor {
  readonly block: number
  readonly skip: number
}

export interface Channel {
  readonly wire: Wire
  readonly options: unknown
  /** Number of the last event before it: the segment of that it has joined, and others it tells from their beginning. */
  readonly from: number
  /** Whether its clients have nothing open where the thread has nothing open. Undefined where the wire does not say. */
  readonly rests: boolean | undefined
  /** The wire says of its stream that it goes on. */
  goesOn(): boolean
  /** Number of the next block. */
  readonly end: number
  /** Number of the oldest block that is kept. */
  readonly start: number
  /** The wire has thrown: nothing comes of it any more. */
  readonly broken: boolean
  begin(context: RunContext): void
  fact(seq: number, fact: Fact): void
  settled(seq: number): void
  delta(seq: number, delta: Delta): void
  /** Makes what has come into a block. Gives how many bytes that is. */
  flush(place: Place, ends: Ends): number
  /** Lets the oldest block go, unless there are no more than `keep`. Gives how many bytes that was. */
  trim(keep: number): number
  block(number: number): Block | undefined
  /** The bytes from a cursor on, at most about `limit` of them, up to where a segment ends. */
  read(cursor: Cursor, limit: number): { readonly bytes: Uint8Array<ArrayBuffer>; readonly next: number }
  /** Where somebody goes on who saw the frames numbered `seq`; undefined when that is not kept any more. */
  after(seq: number, settled: boolean): Cursor | undefined
}

export interface ChannelStart {
  readonly context: RunContext
  /** Number of the last event that is not encoded here, and what a channel that begins in mid-run joins. */
  readonly seq: number
  readonly join: Joined | undefined
  /** Is told once what the wire throws, which is nothing to the run. */
  onError(error: unknown): void
}

export function channel(wire: Wire, options: unknown, { context, seq: start, join, onError }: ChannelStart): Channel {
  const { framing } = wire
  let transcoder: Transcoder<unknown> = wire.transcoder(context, options, join)
  let broken = false
  let rests: boolean | undefined
  const blocks: Block[] = []
  /** How many blocks are gone. */
  let gone = 0
  /** The last frames that are gone. */
  let floor: Pick<Entry, 'seq' | 'settled'> = { seq: start, settled: start >= 0 }
  /** Writes the next frame, where that is one of the same open item as the last. */
  let template: Template | undefined
  let pending = ''
  let entries: Entry[] = []
  /** The last frames of the segment, but for fragments that only go on. */
  // Who joins here has it from a stream of its own: it may say that the stream has failed.
  let lately: readonly unknown[] = join ? transcoder.settled() : []
  /** The last bytes that were put together from several blocks: many readers want the same. */
  let last: { readonly from: number; readonly to: number; readonly bytes: Uint8Array<ArrayBuffer> } | undefined

  function guarded(encodes: () => void): void {
    if (broken) return
    try {
      encodes()
    } catch (error) {
      broken = true
      onError(error)
    }
  }

  function add(piece: string, seq: number, settled: boolean): void {
    if (piece === '') return
    pending += piece
    entries.push({ seq, settled, end: pending.length })
  }

  function deltaText(seq: number, delta: Delta): string {
    const fragment = template && transcoder.next?.(delta)
    if (template && fragment !== undefined) return template(fragment, seq)
    const frames = transcoder.delta(delta)
    template = frames.length === 1 ? framing.template?.(frames[0]) : undefined
    return told(frames, seq)
  }

  function told(frames: readonly unknown[], seq?: number): string {
    if (frames.length > 0) lately = frames
    return text(framing, frames, seq)
  }

  /** Units of text become bytes. */
  function measure(bytes: Uint8Array): void {
    if (bytes.length === pending.length) return
    let unit = 0
    let byte = 0
    for (const entry of entries) {
      byte += encode(pending.slice(unit, entry.end)).length
      unit = entry.end
      entry.end = byte
    }
  }

  function together(from: number, to: number): Uint8Array<ArrayBuffer> {
    if (last?.from !== from || last.to !== to) {
      last = { from, to, bytes: joined(blocks.slice(from - gone, to - gone).map(({ bytes }) => bytes)) }
    }
    return last.bytes
  }

  /** A stream that had failed says nothing where its segment ends: that is no end of the one after it. */
  function cursorAt(index: number, seq: number): Cursor {
    const isPast = ({ bytes, place }: Block): boolean => bytes.length === 0 && place.seq <= seq
    const ahead = blocks.slice(index).findIndex((block) => !isPast(block))
    return { block: ahead < 0 ? gone + blocks.length : gone + index + ahead, skip: 0 }
  }

  return {
    wire,
    options,
    from: start,
    get rests() {
      return (rests ??= restsBetween(wire, options, context))
    },
    goesOn: () => isEnd(wire, options, context, lately) === false,
    get end() {
      return gone + blocks.length
    },
    get start() {
      return gone
    },
    get broken() {
      return broken
    },
    begin(next) {
      guarded(() => {
        transcoder = wire.transcoder(next, options)
      })
      template = undefined
      lately = []
    },
    fact: (seq, fact) => guarded(() => add(told(transcoder.fact(fact), seq), seq, false)),
    settled: (seq) => guarded(() => add(told(transcoder.settled()), seq, true)),
    delta: (seq, delta) => guarded(() => add(deltaText(seq, delta), seq, false)),
    flush(place, ends) {
      // A stream that has failed says nothing more, and its readers still have to hear that it is over.
      if (pending === '' && !ends) return 0
      const bytes = encode(pending)
      measure(bytes)
      blocks.push({ bytes, entries, place, ends })
      pending = ''
      entries = []
      return bytes.length
    },
    trim(keep) {
      const oldest = blocks.length > keep ? blocks.shift() : undefined
      if (!oldest) return 0
      gone++
      if (last && last.from < gone) last = undefined
      floor = oldest.entries.at(-1) ?? floor
      return oldest.bytes.length
    },
    block: (number) => blocks[number - gone],
    read({ block, skip }, limit) {
      let next = block + 1
      let size = (blocks[block - gone]?.bytes.length ?? 0) - skip
      for (; next < gone + blocks.length; next++) {
        if (blocks[next - 1 - gone]?.ends) break
        size += blocks[next - gone]?.bytes.length ?? 0
        if (size > limit) break
      }
      const bytes = next === block + 1 ? (blocks[block - gone]?.bytes ?? encode('')) : together(block, next)
      return { bytes: skip === 0 ? bytes : bytes.subarray(skip), next }
    },
    after(seq, settled) {
      const has = (entry: Pick<Entry, 'seq' | 'settled'>): boolean =>
        entry.seq < seq || (entry.seq === seq && (settled || !entry.settled))
      if (!has(floor)) return undefined
      // From the end: nearly everybody wants what came last.
      for (let index = blocks.length - 1; index >= 0; index--) {
        const found = blocks[index]?.entries.findLast(has)
        if (!found) continue
        const whole = found.end === blocks[index]?.bytes.length
        return whole ? cursorAt(index + 1, seq) : { block: gone + index, skip: found.end }
      }
      return cursorAt(0, seq)
    },
  }
}
