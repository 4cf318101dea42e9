/**
 * Events to a sink: what is there is written at once, what comes in one tick is one write.
 *
 * A sink that is slow slows only its own source: at most one batch waits.
 */
import { type AgentEvent, type Writer, endsSegment } from '@factwire/core'

/** The events of a run, in order, from whoever has them: a producer, a store, a reader of another wire. */
export type RunEvents = AsyncIterable<AgentEvent> | Iterable<AgentEvent>

export interface Sink {
  /** Settles when the sink can take more. */
  write(text: string): Promise<void> | void
  /** Whether anybody still reads. */
  readonly closed: boolean
}

export interface PumpOptions {
  /** Text for an idle stream. */
  readonly heartbeat: string
  /** Milliseconds of idleness before each heartbeat; false for none. */
  readonly idle: number | false
  /** Text that comes before the first event. */
  readonly opening: string
}

export interface Pump {
  /** Ends when the segment ends or nobody reads any more. @throws what the source throws, once a failed end is written. */
  readonly done: Promise<void>
  /** Nobody reads any more: closes the source, without waiting for what it is about to give. */
  leave(): void
}

/** Units of text that are written without waiting for the end of the tick. */
const BATCH = 4096

/** A timer that is to run longer runs at once instead. */
const LONGEST_TIMER = 2 ** 31 - 1

// One macrotask later: a timer of 0 ms costs a whole one, where there is something better.
const later: (task: () => void) => void =
  (globalThis as { setImmediate?: (task: () => void) => void }).setImmediate ?? ((task) => setTimeout(task, 0))

export function pump(source: RunEvents, writer: Writer, sink: Sink, options: PumpOptions): Pump {
  const events = open(source)
  let pending = options.opening
  let writing: Promise<void> | undefined
  let scheduled = false
  let timer: ReturnType<typeof setTimeout> | undefined

  async function run(): Promise<void> {
    let broken: { readonly error: unknown } | undefined
    schedule()
    try {
      while (true) {
        const next = await events.next()
        if (next.done) break
        if (sink.closed) {
          leave()
          break
        }
        pending += writer.push(next.value)
        if (endsSegment(next.value)) {
          leave()
          break
        }
        if (pending.length >= BATCH) await flush()
        else schedule()
      }
    } catch (error) {
      broken = { error }
      leave()
    }
    pending += writer.close()
    // What one flush writes may have been joined by more meanwhile.
    while (pending !== '' && !sink.closed) await flush()
    await writing
    clearTimeout(timer)
    if (broken) throw broken.error
  }

  function schedule(): void {
    if (scheduled || pending === '') return
    scheduled = true
    later(() => {
      scheduled = false
      void flush()
    })
  }

  function flush(): Promise<void> {
    if (pending !== '') writing ??= drain()
    return writing ?? Promise.resolve()
  }

  async function drain(): Promise<void> {
    while (pending !== '' && !sink.closed) {
      const text = pending
      pending = ''
      rest()
      await sink.write(text)
    }
    // In the same breath as the test above: what is added from now on starts a new drain.
    writing = undefined
  }

  /** Begins a new time of idleness. */
  function rest(): void {
    const { idle } = options
    if (idle === false || idle > LONGEST_TIMER) return
    clearTimeout(timer)
    timer = setTimeout(beat, idle)
    // Node keeps a process alive for a timer; a stream that nobody feeds is no reason to.
    ;(timer as { unref?: () => void }).unref?.()
  }

  function beat(): void {
    if (sink.closed) return
    if (!writing) pending += options.heartbeat
    void flush()
    rest()
  }

  function leave(): void {
    clearTimeout(timer)
    close(events)
  }

  rest()
  return { done: run(), leave }
}

/** Closes a source that nobody wants to read. */
export const discard = (source: RunEvents): void => close(open(source))

type Events = AsyncIterator<AgentEvent> | Iterator<AgentEvent>

const open = (source: RunEvents): Events =>
  Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()

/** A source that fails to close, at once or later, has nobody left to tell. */
function close(events: Events): void {
  void (async () => events.return?.())().catch(() => undefined)
}
