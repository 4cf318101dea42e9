/** Where a reader with a stream of its own may go back to the bytes that the others share: it sees then what they see, and no more. */
import type { Channel, Cursor, Place } from './channel.ts'
import type { LiveRun } from './live-run.ts'
import type { Reached } from './open-step.ts'

/** A place in the shared bytes, and where the run stood there: it may have gone on since. */
export interface Back {
  readonly cursor: Cursor
  readonly place: Place
}

/** After the last fact of a commit, where that left nothing open. `goesOn`: the reader's own stream has not failed. */
export function backTo(run: LiveRun, shared: Channel, seq: number, goesOn: () => boolean): Back | undefined {
  const { now } = run.thread
  if (seq !== now.lastFact || !run.clean) return undefined
  const waits = now.standing.state?.type === 'awaiting'
  if (!waits && (now.standing.openCalls.length > 0 || run.unsure.strayed(seq))) return undefined
  // A stream that has failed says nothing more, and another may go on.
  if (!waits && (shared.rests !== true || !goesOn() || !shared.goesOn())) return undefined
  run.encodePending()
  const cursor = shared.after(seq, true)
  return cursor && { cursor, place: { seq, moment: now, reached: NOTHING_OPEN } }
}

const NOTHING_OPEN: Reached = { pieces: [], count: 0, units: 0 }
