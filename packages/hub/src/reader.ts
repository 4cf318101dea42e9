/**
 * One reader: a place in the shared bytes, or a stream of its own. It takes what there is when its sink can take it, and waits
 * for nobody else.
 */
import type { Channel, Cursor, Place } from './channel.ts'
import type { Back } from './going-back.ts'
import type { Follower, LiveRun } from './live-run.ts'
import { deltasUpTo } from './open-step.ts'
import { type OwnStart, type OwnStream, type Spans, type Taken, ownStream } from './own-stream.ts'
import type { Setting } from './setting.ts'

/** Where a reader's bytes go. */
export interface Sink {
  /** Takes whole frames. A promise settles when it can take more, or when it is closed. */
  write(bytes: Uint8Array<ArrayBuffer>): Promise<unknown> | void
  /** There is nothing more, or the hub gives the reader up: it may come back. */
  end(): void
}

/** Why a reader is done. */
export type Left =
  /** It has everything. */
  | 'complete'
  /** It went. */
  | 'left'
  /** It took nothing for too long, or so little that what it has seen is not remembered any more. */
  | 'blocked'
  /** The hub closes, or could not read its store. */
  | 'closed'

export interface Reader extends Follower {
  /** Nobody reads any more. */
  leave(): void
  /** Ends the response; the reader may come back. */
  end(why: Left): void
  /** Waits for a segment that a producer is about to begin. */
  readonly expects: boolean
  /** Called now and then: heartbeats, and an end for who takes nothing. */
  tick(now: number): void
  /** Settles when the reader is done. */
  readonly done: Promise<Left>
}

export type ReaderStart =
  | {
      readonly type: 'shared'
      readonly cursor: Cursor
      /** There is nothing for it before the next segment. */
      readonly expects: boolean
    }
  /** It has nothing, and joins the next segment, or the run, as soon as that has begun. */
  | { readonly type: 'next' }
  | { readonly type: 'own'; readonly start: OwnStart }

export interface ReaderOptions {
  readonly channel: Channel
  readonly spans: Spans
  readonly start: ReaderStart
  readonly heartbeat: Uint8Array<ArrayBuffer>
  /** For one that has written nothing, and is behind the window, or joins what has begun. */
  restart(): ReaderStart
  onLeave(why: Left): void
}

export function reader(run: LiveRun, sink: Sink, options: ReaderOptions, setting: Setting): Reader {
  const { channel, spans, heartbeat } = options
  const { limits, counters, held, clock } = setting
  let own: OwnStream | undefined
  let cursor: Cursor | undefined
  let place: Place | undefined
  let expects = false
  /** Something is awaited: the sink, or the store. */
  let waiting = false
  let pumping = false
  let hasTurn = false
  let sinkSince: number | undefined
  let written = clock.now()
  let left: Left | undefined
  let settle: (why: Left) => void = () => undefined
  const done = new Promise<Left>((resolve) => {
    settle = resolve
  })

  function finish(why: Left): void {
    if (left) return
    left = why
    run.followers.delete(self)
    if (own) held.behind--
    own = undefined
    place = undefined
    if (why !== 'left') endSink()
    settle(why)
    options.onLeave(why)
  }

  /** What it throws must not keep the reader's place. */
  function endSink(): void {
    try {
      sink.end()
    } catch (error) {
      setting.onError(error)
    }
  }

  function begin(start: ReaderStart): void {
    switch (start.type) {
      case 'shared':
        cursor = start.cursor
        expects = start.expects
        return
      case 'next':
        expects = true
        return
      case 'own':
        goOwn(start.start)
        return
      default:
        start satisfies never
    }
  }

  function goOwn(start: OwnStart): void {
    cursor = undefined
    expects = false
    held.behind++
    own = ownStream(run, channel, spans, start, setting)
  }

  function goBack(to: Back): void {
    own = undefined
    held.behind--
    counters.cameBack++
    cursor = to.cursor
    place = to.place
  }

  function giveUp(): void {
    counters.blockedEnded++
    finish('blocked')
  }

  /** The window has moved on: what the reader has is known, and the rest it gets by itself. */
  function fallBehind(): void {
    counters.fellBehind++
    if (!place) begin(options.restart())
    else {
      const { moment, reached, seq } = place
      const segment = run.thread.segmentOf(Math.max(moment.lastFact, 0))
      // What it has of its step may have been taken back since, on any wire.
      if (!run.past.remembers(channel.rests === true ? moment.lastFact : segment - 1)) {
        giveUp()
        return
      }
      const deltas = deltasUpTo(reached, moment.lastFact)
      goOwn({ type: 'known', segment, fact: moment.lastFact, deltas, seen: seq, reached })
    }
    place = undefined
  }

  function takeShared(at: Cursor): Taken | undefined {
    if (at.block >= channel.end) return undefined
    const { bytes, next } = channel.read(at, limits.writeBytes)
    const block = channel.block(next - 1)
    cursor = { block: next, skip: 0 }
    place = block?.place
    expects = false
    const over = block?.ends === 'run' || (block?.ends === 'segment' && spans === 'segment')
    return { bytes, over, back: undefined }
  }

  /** Whether there is something to take now. Who is behind takes turns with others who are. */
  function isReady(): boolean {
    if (channel.broken) finish('closed')
    else if (cursor && cursor.block < channel.start) fallBehind()
    else if (!cursor && !own && !run.isBeginning && run.head >= 0) begin(options.restart())
    if (!own || hasTurn || setting.turns.ask(takeTurn)) return true
    waiting = true
    return false
  }

  function takeTurn(): void {
    waiting = false
    hasTurn = true
    pump()
  }

  function take(): Taken | 'lost' | Promise<unknown> | undefined {
    hasTurn = false
    return cursor ? takeShared(cursor) : own?.take()
  }

  function pump(): void {
    if (pumping) return
    pumping = true
    try {
      while (!left && !waiting && isReady()) {
        if (left) break
        const taken = take()
        if (!taken) break
        if (taken === 'lost') giveUp()
        else if (taken instanceof Promise) wait(taken, 'store')
        else deliver(taken)
      }
    } catch (error) {
      setting.onError(error)
      finish('closed')
    } finally {
      pumping = false
    }
  }

  function deliver({ bytes, over, back }: Taken): void {
    if (back) goBack(back)
    const full = bytes.length > 0 ? write(bytes) : undefined
    if (over) finish('complete')
    else if (full) wait(full, 'sink')
  }

  function write(bytes: Uint8Array<ArrayBuffer>): Promise<unknown> | void {
    counters.deliveries++
    counters.deliveredBytes += bytes.length
    written = clock.now()
    return sink.write(bytes)
  }

  function wait(promise: Promise<unknown>, whom: 'sink' | 'store'): void {
    waiting = true
    if (whom === 'sink') sinkSince = clock.now()
    const goOn = (): void => {
      waiting = false
      sinkSince = undefined
      pump()
    }
    promise.then(goOn, (error: unknown) => {
      if (whom === 'store') setting.onError(error)
      finish(whom === 'store' ? 'closed' : 'left')
    })
  }

  function beat(): void {
    try {
      const full = write(heartbeat)
      if (full) wait(full, 'sink')
    } catch (error) {
      setting.onError(error)
      finish('closed')
    }
  }

  const self: Reader = {
    wake: pump,
    leave: () => finish('left'),
    end: finish,
    get expects() {
      return expects
    },
    tick(now) {
      if (sinkSince !== undefined && now - sinkSince >= limits.blockedMs) {
        giveUp()
      } else if (!waiting && !left && now - written >= limits.heartbeatMs) {
        beat()
      }
    },
    done,
  }
  run.followers.add(self)
  begin(options.start)
  pump()
  return self
}
