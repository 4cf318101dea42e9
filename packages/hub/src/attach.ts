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
  /** Who names no number has what was said before it asks. */
  readonly hasThread: boolean
}

/** Synchronous from the look at the run to the place in its bytes: nothing can come in between. */
export function attach(
  run: LiveRun,
  wanted: Wanted,
  sink: Sink,
  onLeave: (why: Left) => void,
  setting: Setting,
): Reader {
  const { wire, options, spans, position } = wanted
  const shared = run.channel(wire, options)
  run.encodePending()
  const start = (): ReaderStart =>
    position === undefined ? startOf(run, shared, wanted) : startAfter(position, run, shared)
  const heartbeat = encode(wire.framing.heartbeat)
  return reader(run, sink, { channel: shared, spans, start: start(), heartbeat, restart: start, onLeave }, setting)
}

/** Of a client that names no number. */
function startOf(run: LiveRun, shared: Channel, { spans, hasThread }: Wanted): ReaderStart {
  const { resume } = shared.wire
  const expects = spans === 'segment' && run.isBeginning
  const before = expects ? run.head : spans === 'segment' ? run.thread.segmentStart - 1 : -1
  const isAll = hasThread || resume === 'none' || !saidBefore(run, before, resume === 'replay')
  const isNew = run.head <= before
  if (isNew && !isAll) return { type: 'next' }
  if (isNew) return { type: 'shared', cursor: { block: shared.end, skip: 0 }, expects }
  // A client that cannot say what it has seen is told the whole as something that it may have.
  const exact = isAll && resume !== 'replay' ? shared.after(before, false) : undefined
  return exact
    ? { type: 'shared', cursor: exact, expects: false }
    : { type: 'own', start: { type: 'fresh', reset: false } }
}

/** Whether there is a thread that what comes after a number does not tell. `history`: also that of before the run. */
const saidBefore = ({ run }: LiveRun, seq: number, history: boolean): boolean =>
  seq >= 0 || (history && (run.history?.length ?? 0) > 0)

function startAfter(seen: number, run: LiveRun, shared: Channel): ReaderStart {
  // Where it depends on when it came what a client sees, its number does not say it.
  const isSame = !run.unsure.at(seen, run.head)
  const exact = isSame && seen <= run.head ? shared.after(seen, false) : undefined
  if (exact) return { type: 'shared', cursor: exact, expects: false }
  if (shared.wire.resume !== 'tail') return { type: 'own', start: { type: 'fresh', reset: false } }
  return { type: 'own', start: locate(run, shared, seen) }
}
