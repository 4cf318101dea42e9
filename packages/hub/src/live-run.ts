/**
 * What a hub shows of one run: the committed thread, the open step, and the recent bytes of each wire.
 *
 * Its events come in their order, from a producer in this process or from the store and the bus. Everything here is
 * synchronous, so whoever attaches between two events misses none and gets none twice.
 */
import { type Delta, type Fact, type RunContext } from '@factwire/core'
import { type Channel, type Ends, type Place, type Wire, channel } from './channel.ts'
import { leftByStep, openedIn, type OpenStep, openStep, stepOpenedBy } from './open-step.ts'
import { type PastSteps, pastSteps } from './past-steps.ts'
import { type Recent, recentFacts } from './recent.ts'
import { sameOptions } from './same-options.ts'
import type { Setting } from './setting.ts'
import type { Opened, Step, StoredFact } from './store.ts'
import { type ThreadView, threadView } from './thread-view.ts'
import { unsure, type Unsure } from './unsure.ts'
import { wake } from './wake.ts'

/** Who is told when there is more to read. */
export interface Follower {
  wake(): void
}

export interface LiveRun {
  readonly run: RunContext
  readonly thread: ThreadView
  readonly open: OpenStep
  readonly past: PastSteps
  /** Number of the last event, -1 before the first. */
  readonly head: number
  /** The first delta of the step that is written; undefined for none, null when it began before this hub looked. */
  readonly opened: Opened | null | undefined
  /** Nothing was left open by the last commit. */
  readonly clean: boolean
  readonly unsure: Pick<Unsure, 'at' | 'strayed' | 'lacks'>
  readonly followers: Set<Follower>
  place(): Place
  /** One commit, once it is stored. */
  step(step: Step): void
  delta(seq: number, delta: Delta): void
  /** A producer has come, and its segment has not begun. */
  readonly isBeginning: boolean
  begins(): void
  /** It has gone without. */
  beginsNot(): void
  /** The run goes on elsewhere, and what is open of its step is not known here. */
  missedOpen(): void
  /** The bytes of a wire; made when somebody wants them. */
  channel(wire: Wire, options: unknown): Channel
  /** Facts after a number that were shown. From memory at once, else from the store. */
  factsAfter(seq: number): readonly StoredFact[] | Promise<readonly StoredFact[]>
  /** Gives readers what has come, before the tick is over. */
  flush(): void
  /** Makes bytes of what has come, so that every number has its place in them. */
  encodePending(): void
  /** Lets go what it holds. */
  dispose(): void
}

export function liveRun(run: RunContext, setting: Setting): LiveRun {
  const { limits, counters, held } = setting
  const thread = threadView(run)
  held.threadUnits += thread.units
  const recent: Recent = recentFacts(run.runId, setting)
  const channels: Channel[] = []
  const followers = new Set<Follower>()
  const past = pastSteps(limits, held)
  let open = openStep()
  let head = -1
  let opened: Opened | null | undefined
  let clean = true
  let disposed = false
  const doubt = unsure()
  let isBeginning = false
  /** The step is too long: no delta of it is shown any more. */
  let muted = false
  let windowBytes = 0
  const flushing = wake(setting.clock, limits.flushMs, flush)

  const place = (): Place => ({ seq: head, moment: thread.now, reached: open.reached() })

  function flushChannels(ends: Ends): void {
    const here = channels.length > 0 ? place() : undefined
    for (const each of channels) {
      if (!here) return
      keep(each.flush(here, ends))
      // Readers have to be offered the last.
      trim(each, 1)
    }
  }

  function trim(from: Channel, last: number): void {
    while (windowBytes > limits.windowBytes || held.windowBytes > limits.totalWindowBytes) {
      const freed = from.trim(last)
      if (freed === 0) break
      keep(-freed)
    }
  }

  function dropBroken(): void {
    for (const each of channels.filter(({ broken }) => broken)) {
      while (each.start < each.end) keep(-each.trim(0))
      channels.splice(channels.indexOf(each), 1)
    }
  }

  function keep(bytes: number): void {
    windowBytes += bytes
    held.windowBytes += bytes
  }

  /** Bytes of two segments never share a block. */
  function begin(seq: number): void {
    flushChannels(undefined)
    isBeginning = false
    const context = thread.begin(seq)
    for (const each of channels) each.begin(context)
  }

  function replaceOpen(next: OpenStep): void {
    held.openUnits += next.units - open.units
    open = next
  }

  function flush(): void {
    flushChannels(undefined)
    // A copy: who is told may leave.
    for (const follower of Array.from(followers)) follower.wake()
    for (const each of channels) trim(each, 0)
  }

  return {
    run,
    thread,
    get open() {
      return open
    },
    get head() {
      return head
    },
    get opened() {
      return opened
    },
    get clean() {
      return clean
    },
    unsure: doubt,
    past,
    followers,
    place,
    step(step) {
      // Somebody may still be reading it from the store: nothing more of it is held.
      if (disposed) return
      const { facts, commit, after } = step
      let ends: Ends
      const left = open.after(commit)
      doubt.step(head, step, open.pieces, left.pieces)
      for (const { seq, fact } of facts) {
        if (fact.type === 'run_started') begin(seq)
        head = seq
        ends = endOf(fact) ?? ends
        for (const each of channels) each.fact(seq, fact)
      }
      const before = thread.units
      thread.add(step)
      held.threadUnits += thread.units - before
      if (facts.length > 0) for (const each of channels) each.settled(head)
      recent.add(facts)
      past.add(step, open.recent, left.pieces)
      replaceOpen(left)
      if (facts.length > 0) clean = open.pieces.length === 0
      opened = leftByStep(step) ?? openedIn(open.pieces)[0]
      if (after.state?.type !== 'running' || commit.messages.some(({ role }) => role === 'assistant')) muted = false
      if (ends) flushChannels(ends)
      flushing.ask()
    },
    delta(seq, delta) {
      if (disposed) return
      const isNext = seq === head + 1
      doubt.delta(head, seq)
      head = seq
      if (muted || open.units > limits.openUnits) {
        muted = true
        counters.deltasSkipped++
        return
      }
      // What came before it may have begun its message.
      if (opened === undefined) opened = isNext ? stepOpenedBy(seq, delta) : null
      const before = open.units
      open.add(seq, delta)
      held.openUnits += open.units - before
      for (const each of channels) each.delta(seq, delta)
      flushing.ask()
    },
    get isBeginning() {
      return isBeginning
    },
    begins() {
      isBeginning = true
    },
    beginsNot() {
      isBeginning = false
    },
    missedOpen() {
      opened = null
    },
    channel(wire, options) {
      dropBroken()
      const found = channels.find((each) => each.wire === wire && sameOptions(each.options, options))
      if (found) return found
      const { now } = thread
      const join = head < 0 ? undefined : { committed: now.committed(), open: open.pieces.map(({ delta }) => delta) }
      const made = channel(wire, options, { context: now.context, seq: head, join, onError: setting.onError })
      channels.push(made)
      return made
    },
    factsAfter: (seq) => recent.after(seq, thread.now.lastFact),
    flush,
    encodePending: () => flushChannels(undefined),
    dispose() {
      if (disposed) return
      disposed = true
      keep(-windowBytes)
      held.threadUnits -= thread.units
      past.dispose()
      replaceOpen(openStep())
      channels.length = 0
    },
  }
}

function endOf({ type }: Fact): Ends {
  if (type === 'awaiting') return 'segment'
  return type === 'run_finished' || type === 'run_failed' ? 'run' : undefined
}
