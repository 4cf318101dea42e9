/**
 * Between a producer and its readers: facts are stored, then shown, and never lost or doubled; deltas are shown at once and may be
 * skipped for who cannot keep up.
 */
import { type Encodable, type FoldOptions, type Message, type RunContext } from '@factwire/core'
import { attach } from './attach.ts'
import { type Attached, type AttachedNothing, type Reading, bodyOf } from './attached.ts'
import type { Ask, LiveBus } from './bus.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Entries, entries } from './entries.ts'
import type { Entry } from './known.ts'
import { type Limits, defaultLimits } from './limits.ts'
import { type Metrics, createCounters } from './metrics.ts'
import type { Spans } from './own-stream.ts'
import { positionOf, reads } from './position.ts'
import type { Producer } from './producer.ts'
import type { Left, Reader, Sink } from './reader.ts'
import type { Setting } from './setting.ts'
import type { FactStore } from './store.ts'
import { timelyStore } from './timely-store.ts'
import { turns } from './turns.ts'

export interface HubOptions {
  readonly store: FactStore
  /** A name that no other process has, nor this one when it starts again: `crypto.randomUUID()`. */
  readonly owner: string
  /** What is live in other processes. Without it their facts are shown, late, and no deltas. */
  readonly bus?: LiveBus
  /** Default: that of the machine. */
  readonly clock?: Clock
  readonly limits?: Partial<Limits>
  /** How the commits of all runs are folded. */
  readonly fold?: FoldOptions
  /**
   * What was said to a run and may be in no commit of it, such as `saidIn(journal)` of `@factwire/runtime`: asked where the hub ends a run
   * that nobody writes, whose thread then has it. Where it fails, the run is ended later. Where it is silent for `graceMs`, a run whose
   * producer was asked to end it and does not ends without. Default: nothing.
   */
  readonly said?: (runId: string) => Promise<readonly Message[]>
  /** Told what a port has thrown. */
  readonly onError?: (error: unknown) => void
}

export interface AttachOptions<Options> {
  /** The `Last-Event-ID` of the request: everything up to it was seen. Absent or empty: nothing. */
  readonly lastEventId?: string | null
  /** Of the protocol's transcoder. Readers with the same options share their bytes. */
  readonly transcoder?: Options
  /** Whether the response goes on while the run waits. Default: where the client can come back to a position. */
  readonly spans?: Spans
  /**
   * `thread`: the client has all that was said before, such as one whose request begins what it asks for, and is not told that. It counts
   * where there is no `lastEventId`, and as long as nothing of that is told: then the client may have a part of it as well. Default: it is
   * told the thread, on wires that can.
   */
  readonly has?: 'thread'
  /**
   * What the last reader that leaves does to the run. `cancel` is refused where the wire can resume; it is the default where the
   * client has no other way to stop the run.
   */
  readonly onLeave?: 'keep' | 'cancel'
}

export interface Hub {
  /**
   * Begins a run, or goes on with one that waits.
   *
   * @throws FactwireError `run_taken` when another has it, `run_ended` when it is over.
   */
  produce(run: RunContext): Promise<Producer>
  attach<Frame, Options>(
    runId: string,
    protocol: Encodable<Frame, Options>,
    options?: AttachOptions<NoInfer<Options>>,
  ): Promise<Attached>
  /**
   * Asks a run to end, wherever it is produced, and does so again every `graceMs` until it has. False when there is nothing to end, or
   * nobody can be asked.
   */
  ask(runId: string, ask: Ask): Promise<boolean>
  metrics(): Metrics
  /**
   * Ends every response between two frames, after what has been said, waits for what is being stored, `closeMs` at the most, and gives all
   * runs back.
   */
  close(): Promise<void>
}

const TICK = 1000
const CLOSED = 'this server is going away'

export function createHub(options: HubOptions): Hub {
  const { bus, owner, fold = {}, clock = systemClock, said = nothingSaid } = options
  const limits: Limits = { ...defaultLimits, ...options.limits }
  const counters = createCounters()
  const held = { windowBytes: 0, openUnits: 0, pastUnits: 0, queueUnits: 0, threadUnits: 0, readers: 0, behind: 0 }
  const onError = quietly(options.onError)
  const setting: Setting = {
    store: timelyStore(options.store, clock, limits, counters),
    clock,
    limits,
    counters,
    held,
    turns: turns(clock, limits.catchUpMs),
    onError,
  }
  const runs: Entries = entries({ owner, bus, fold, said }, setting)
  let closed = false
  let cancelTick: (() => void) | undefined
  let cancelReap: (() => void) | undefined

  function tickLater(): void {
    cancelTick = clock.after(TICK, () => {
      const now = clock.now()
      for (const { readers } of runs.all()) for (const each of Array.from(readers)) each.tick(now)
      runs.letGo(now)
      tickLater()
    })
  }

  function reapLater(): void {
    cancelReap = clock.after(limits.reapMs, () => {
      void runs.reap().then(() => {
        if (!closed) reapLater()
      })
    })
  }

  function read(entry: Entry, wanted: Parameters<typeof attach>[1], cancels: boolean, sink: Sink): Reader {
    held.readers++
    const onLeave = (why: Left): void => {
      held.readers--
      entry.readers.delete(made)
      entry.used = clock.now()
      if (why === 'left' && cancels && entry.readers.size === 0)
        void ask(entry.live.run.runId, { type: 'cancelled' }).catch(onError)
    }
    const made: Reader = attach(entry.live, wanted, sink, (why) => queueMicrotask(() => onLeave(why)), setting)
    entry.readers.add(made)
    return made
  }

  async function ask(runId: string, what: Ask): Promise<boolean> {
    return runs.ask(runId, what)
  }

  tickLater()
  reapLater()
  return {
    produce: (run) => runs.produce(run),
    async attach(runId, protocol, given = {}) {
      const { lastEventId, transcoder, spans = protocol.resume === 'tail' ? 'run' : 'segment' } = given
      const onLeave = given.onLeave ?? (protocol.resume === 'none' ? 'cancel' : 'keep')
      if (onLeave === 'cancel' && protocol.resume !== 'none') {
        throw new TypeError(`a client of ${protocol.name} that leaves may come back: cancel the run with hub.ask`)
      }
      if (closed) return nothing('closed', CLOSED)
      const position = positionOf(lastEventId)
      if (position === 'invalid') return nothing('invalid_position', 'Last-Event-ID is a number of this run')
      const entry = await runs.find(runId)
      if (!entry) return nothing('unknown_run', 'there is no such run')
      if (position !== undefined && !(await runs.reaches(entry, position))) {
        return nothing('unknown_position', 'this run has not given out that number')
      }
      if (closed) return nothing('closed', CLOSED)
      if (held.readers >= limits.readers || entry.readers.size >= limits.readersPerRun) {
        return nothing('too_many_readers', 'too many read already')
      }
      if (reads(entry.live, spans, position) === 'all') return nothing('over', 'all of it was seen')
      const { framing } = protocol
      const hasThread = given.has === 'thread'
      const wanted = { wire: protocol, options: transcoder, spans, position, hasThread }
      // It may have been let go since.
      const pipe = (sink: Sink): Reading =>
        closed || !runs.has(entry) ? ended(sink) : read(entry, wanted, onLeave === 'cancel', sink)
      return {
        type: 'stream',
        headers: { 'content-type': framing.mediaType, ...framing.headers },
        pipe,
        body: () => bodyOf(pipe),
      }
    },
    ask,
    metrics: () => ({
      ...counters,
      ...held,
      runs: runs.all().length,
      limits,
    }),
    async close() {
      closed = true
      cancelTick?.()
      cancelReap?.()
      for (const { live, readers } of runs.all()) {
        live.flush()
        for (const each of Array.from(readers)) each.end('closed')
      }
      await runs.close()
    },
  }
}

const nothingSaid = async (): Promise<readonly Message[]> => []

function ended(sink: Sink): Reading {
  sink.end()
  return { leave: () => undefined, done: Promise.resolve('closed') }
}

const nothing = (type: AttachedNothing['type'], message: string): AttachedNothing => ({ type, message })

/** What the host's own listener throws is dropped: there is nobody left to tell. */
function quietly(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return (error) => {
    try {
      onError?.(error)
    } catch {
      // The stream is not the place to hear of it.
    }
  }
}
