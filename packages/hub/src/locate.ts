/**
 * Where a client stands that has seen everything up to a number, when the bytes after it are gone.
 *
 * The commits say after which of them nothing was open. There a client needs only what follows. Elsewhere what it sees of its step is
 * taken back, and the thread is told again: it may have seen the step as it came, or have joined in its middle.
 */
import type { Channel } from './channel.ts'
import type { LiveRun } from './live-run.ts'
import type { OwnStart } from './own-stream.ts'
import type { Opened } from './store.ts'
import type { Mark } from './thread-view.ts'

/** `seen` is a number that this run has given out. */
export function locate(run: LiveRun, { rests }: Channel, seen: number): OwnStart {
  const { marks } = run.thread
  const at = marks.findLastIndex(({ first }) => first <= seen)
  const [last, next] = [marks[at], marks[at + 1]]
  const opened = next ? next.opened : run.opened
  // Of what nobody here has seen nobody knows what it was.
  const isKnown = seen <= run.head && !run.unsure.strayed(seen) && standsBefore(opened, seen, next)
  if (!isKnown || !last || last.last > seen || !(last.waits || (rests === true && !last.open))) {
    return { type: 'fresh', reset: true }
  }
  // It may have seen patches of a document since.
  const since = next ? run.past.before(next.first) : run.open.pieces.filter(({ from }) => from > last.last)
  const deltas = since.filter(({ to }) => to <= seen).map(({ delta }) => delta)
  return { type: 'known', segment: run.thread.segmentOf(last.last), fact: last.last, deltas, seen }
}

/**
 * Whether a client has nothing of the step that follows. One that stands right before it may have half of its first group, which
 * the facts of the same message begin anew.
 */
function standsBefore(opened: Opened | null | undefined, seen: number, next: Mark | undefined): boolean {
  if (!opened) return opened === undefined
  if (seen + 1 < opened.seq) return true
  return seen < opened.seq && (!next || next.tellsOpened)
}
