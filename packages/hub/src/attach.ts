/** How a reader begins: with the exact bytes while they are there, else with what its wire can do about it. */
import { encode } from './bytes.ts'
import type { Channel, Wire } from './channel.ts'
import type { LiveRun } from './live-run.ts'
import { locate } from './locate.ts'
import type { Spans } from './own-stream.ts'
import { type Left, type Reader, type ReaderStart, type Sink, reader } from './reader.ts'
import type { Setting } from './setting.ts'

export interface Wanted {
  readonly wire: Wire
  readonly options: unknown
  readonly spans: Spans
  /** Everything up to that number was seen. */
  readonly position: number | undefined
}

/** Synchronous from the look at the run to the place in its bytes: nothing can come in between. */
export function attach(
  run: LiveRun,
  { wire, options, spans, position }: Wanted,
  sink: Sink,
  onLeave: (why: Left) => void,
  setting: Setting,
): Reader {
  const shared = run.channel(wire, options)
  run.encodePending()
  const start = (): ReaderStart => startOf(run, shared, spans, position)
  const heartbeat = encode(wire.framing.heartbeat)
  return reader(run, sink, { channel: shared, spans, start: start(), heartbeat, restart: start, onLeave }, setting)
}

function startOf(run: LiveRun, shared: Channel, spans: Spans, position: number | undefined): ReaderStart {
  const { wire } = shared
  // Who asks for one segment, and a producer is about to begin it.
  if (spans === 'segment' && run.isBeginning) {
    return { type: 'shared', cursor: { block: shared.end, skip: 0 }, place: run.place(), expects: true }
  }
  const seen = position ?? (spans === 'run' ? -1 : run.thread.segmentStart - 1)
  // A client that cannot say what it has seen is told the whole as something that it may have.
  const isKnown = position !== undefined || wire.resume !== 'replay' || run.head <= seen
  // Where it depends on when it came what a client sees, its number does not say it.
  const isSame =
    position === undefined || !(run.leftOpen(seen) || run.isUnseen(seen) || (run.strayed && seen < run.head))
  const exact = isKnown && isSame && seen <= run.head ? shared.after(seen, false) : undefined
  if (exact) return { type: 'shared', cursor: exact, place: undefined, expects: false }
  if (position === undefined || wire.resume !== 'tail') return { type: 'own', start: { type: 'fresh', reset: false } }
  return { type: 'own', start: locate(run, shared, position) }
}
