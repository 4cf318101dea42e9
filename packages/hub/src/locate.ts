/**
 * Where a client stands that has seen everything up to a number, when the bytes after it are gone: looked up in the facts.
 *
 * The facts say after which of them nothing was open on this wire. There a client needs only what follows. Elsewhere what it sees
 * of its step is taken back, and the thread is told again: it may have seen the step as it came, or have joined in its middle.
 */
import type { Transcoder } from '@factwire/core'
import type { Wire } from './channel.ts'
import type { LiveRun } from './live-run.ts'
import type { OwnStart } from './own-stream.ts'
import { restWatch } from './rest-watch.ts'
import type { Setting } from './setting.ts'
import type { Opened, StoredStep } from './store.ts'
import { type Moment, threadView } from './thread-view.ts'

interface Seen {
  /** The last commit of which anything was seen. */
  readonly last: Moment
  /** After it nothing was open, and all of it was seen. */
  readonly rests: boolean
  /** How the step after it was opened, as far as anybody knows. */
  readonly opened: Opened | null | undefined
  /** The commit after it, if there is one. */
  readonly next: StoredStep | undefined
}

/** `seen` is a number that this run has given out. */
export async function locate(
  run: LiveRun,
  wire: Wire,
  options: unknown,
  seen: number,
  setting: Setting,
): Promise<OwnStart> {
  const { last, rests, opened, next } = await walk(run, wire, options, seen, setting)
  if (!rests || !standsBefore(opened, seen, next)) return { type: 'fresh', reset: true }
  return { type: 'known', segment: run.thread.segmentOf(last.lastFact), fact: last.lastFact, deltas: [], seen }
}

/**
 * Whether a client has nothing of the step that follows. One that stands right before it may have half of its first group, which
 * the facts of the same message begin anew.
 */
function standsBefore(opened: Opened | null | undefined, seen: number, next: StoredStep | undefined): boolean {
  if (!opened) return opened === undefined
  if (seen + 1 < opened.seq) return true
  return seen < opened.seq && (!next || next.commit.messages.some(({ id }) => id === opened.message))
}

async function walk(
  run: LiveRun,
  wire: Wire,
  options: unknown,
  seen: number,
  { store, limits }: Setting,
): Promise<Seen> {
  const thread = threadView(run.run)
  const watch = restWatch(wire, options, run.run)
  let transcoder: Transcoder<unknown> | undefined
  let rests = false

  function add(step: StoredStep): void {
    const { facts, after } = step
    for (const { seq, fact } of facts) {
      if (seq > seen) continue
      if (fact.type === 'run_started') {
        transcoder = wire.transcoder(thread.begin(seq), options)
        watch.begin()
      }
      if (transcoder) watch.push(transcoder.fact(fact))
    }
    const whole = facts.every(({ seq }) => seq <= seen)
    // A commit without facts opens and closes nothing.
    if (facts.length > 0) rests = whole && restsAfter(after)
    thread.add(step)
  }

  function restsAfter({ state, openCalls }: StoredStep['after']): boolean {
    if (transcoder) watch.push(transcoder.settled())
    return state?.type === 'awaiting' || (watch.rests() === true && openCalls.length === 0)
  }

  let next: StoredStep | undefined
  while (!next) {
    const steps = await store.steps(run.run.runId, thread.now.revision, limits.pageFacts)
    for (const step of steps) {
      const [first] = step.facts
      if (first && first.seq > seen) {
        next = step
        break
      }
      add(step)
    }
    if (steps.length < limits.pageFacts) break
  }
  return { last: thread.now, rests, opened: next ? next.opened : run.opened, next }
}
