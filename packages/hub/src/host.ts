/** One run that is produced in this process: its queue, its numbers, its lease, and what other processes hear of it. */
import {
  type Commit,
  type EndCause,
  FactwireError,
  fold,
  type Folded,
  type FoldOptions,
  type Message,
  type Standing,
} from '@factwire/core'
import type { Ask, LiveBus, LiveMessage } from './bus.ts'
import { grace } from './grace.ts'
import { lastCommits, type Said } from './last-commits.ts'
import type { LiveRun } from './live-run.ts'
import { offsets } from './offsets.ts'
import { atMost, patiently } from './patience.ts'
import type { Producer, Receipt } from './producer.ts'
import { publisher } from './publish.ts'
import { type QueuedCommit, queue } from './queue.ts'
import { renewal } from './renewal.ts'
import type { Setting } from './setting.ts'
import type { RunRecord } from './store.ts'
import { storeStep, taken } from './store-step.ts'

export interface Host {
  readonly producer: Producer
  /** Numbers below are reserved. */
  readonly reserved: number
  /** How the run was asked to end. */
  readonly asked: Ask | undefined
  /** Tells the producer that the run is to end, and sees to it that it does. */
  ask(ask: Ask): void
  hear(message: LiveMessage): void
  /** Settles when all that was committed is stored, and the lease is given back. */
  close(): Promise<void>
  /** Waits for nothing more: what is not stored is refused. */
  giveUp(): void
}

export interface HostOptions {
  readonly record: RunRecord
  /** The number of the first event. */
  readonly next: number
  /** The keys of the steps that the run has, and their revisions. */
  readonly keys: Map<string, number>
  readonly bus: LiveBus | undefined
  readonly fold: FoldOptions
  readonly said: Said
  /** The run waits, has ended, or belongs to somebody else. */
  onGone(): void
}

export function host(
  live: LiveRun,
  { record, next, keys, bus, fold: folding, said, onGone }: HostOptions,
  setting: Setting,
): Host {
  const { store, clock, limits, counters, held } = setting
  const { runId } = record.run
  const { epoch } = record.lease
  const waiting = queue(next, limits.queueUnits)
  const places = offsets()
  const others = publisher(live, bus, epoch, setting)
  const abort = new AbortController()
  const graced = grace(end, setting)
  const lease = renewal(runId, epoch, () => lose(taken(runId)), setting)
  let standing: Standing = record.standing
  let { revision, reserved } = record
  let requested = reserved
  let wanted: Ask | undefined
  let commits = 0
  /** Keys of this producer. */
  const own = new Map<string, Promise<number>>()
  let appending = false
  let gone = false
  let failure: unknown
  let idle: (() => void)[] = []

  // ── Out ──

  function drain(): void {
    while (!gone && !appending) {
      const { first } = waiting
      if (!first) break
      if (first.type === 'commit') {
        appending = true
        void append(first)
        break
      }
      if (first.seq >= reserved) break
      take()
      live.delta(first.seq, first.delta)
      others.delta(first)
    }
    reserveMore()
    if (!waiting.first) settleIdle()
  }

  function take(): void {
    const before = waiting.units
    waiting.shift()
    held.queueUnits += waiting.units - before
  }

  async function append(entry: QueuedCommit): Promise<void> {
    const key = entry.key ?? `${epoch}-${commits++}`
    const release = entry.step.after.state?.type !== 'running'
    const reserve = release ? entry.next : Math.max(reserved, entry.next + limits.reserveBlock)
    const request = { epoch, revision, key, reserve, release, step: entry.step }
    try {
      const at = await storeStep(runId, request, setting)
      appending = false
      if (gone) return
      take()
      show(entry, at, reserve)
      drain()
    } catch (error) {
      appending = false
      lose(error)
    }
  }

  function show(entry: QueuedCommit, stored: number, reserve: number): void {
    revision = stored
    reserved = Math.max(reserved, reserve)
    requested = Math.max(requested, reserved)
    counters.commits++
    live.step(entry.step)
    if (entry.key !== undefined) keys.set(entry.key, stored)
    others.facts()
    entry.stored(stored)
    if (entry.step.after.state?.type !== 'running') leave(entry.next)
  }

  function reserveMore(): void {
    if (gone || appending || waiting.next + limits.reserveBlock / 2 <= requested) return
    const upTo = waiting.next + limits.reserveBlock
    requested = upTo
    patiently(() => store.reserve(runId, epoch, upTo), setting).then(
      (held) => {
        if (gone) return
        if (held) reserved = Math.max(reserved, upTo)
        else lose(taken(runId))
        drain()
      },
      (error: unknown) => lose(new FactwireError('store_failed', `no numbers for ${runId}`, { cause: error })),
    )
  }

  // ── The end ──

  function lose(error: unknown): void {
    if (gone) return
    failure = error
    held.queueUnits -= waiting.units
    const dropped = waiting.drop()
    leave()
    for (const entry of dropped) if (entry.type === 'commit') entry.refused(error)
    abort.abort(error)
  }

  /** Numbers from `free` on are given out by whoever goes on. */
  function leave(free = reserved): void {
    gone = true
    reserved = free
    held.queueUnits -= waiting.units
    graced.stop()
    lease.stop()
    settleIdle()
    onGone()
  }

  /** Settles when nothing waits, or nothing can be stored any more. */
  function stored(): Promise<void> {
    return new Promise((resolve) => {
      idle.push(resolve)
      drain()
    })
  }

  function settleIdle(): void {
    const settled = idle
    idle = []
    for (const each of settled) each()
  }

  async function end(cause: EndCause): Promise<void> {
    let unheard: readonly Message[] = []
    // Whoever wants it to end waits for that, and not for good.
    await atMost(
      clock,
      limits.graceMs,
      said(runId).then((told) => void (unheard = told)),
    )
    while (!gone && waiting.first) await stored()
    if (gone || standing.state?.type === 'ended') return
    const { messages } = live.thread.now.committed()
    await Promise.all(lastCommits(standing, cause, messages, unheard).map((each) => commit(each)))
  }

  // ── In ──

  function commit(given: Commit, key?: string): Promise<Receipt> {
    if (gone) return refused(failure ?? new FactwireError('run_taken', `${runId} is not this producer's any more`))
    const known = key === undefined ? undefined : (own.get(key) ?? keys.get(key))
    if (known !== undefined) return quiet(Promise.resolve(known).then((at) => ({ revision: at, repeated: true })))
    let folded: Folded
    try {
      folded = fold(given, standing, folding)
    } catch (error) {
      return refused(error)
    }
    const { facts, after } = folded
    standing = after
    places.committed(given)
    const revised = quiet(
      new Promise<number>((resolve, reject) => {
        waiting.commit(given, facts, after, { key, stored: resolve, refused: reject })
      }),
    )
    if (key !== undefined) own.set(key, revised)
    drain()
    return quiet(revised.then((at) => ({ revision: at, repeated: false })))
  }

  function delta(given: Parameters<Producer['delta']>[0]): void {
    if (gone) return
    counters.deltas++
    const before = waiting.units
    if (!waiting.delta(places.placed(given))) counters.deltasSkipped++
    held.queueUnits += waiting.units - before
    drain()
  }

  const producer: Producer = {
    runId,
    signal: abort.signal,
    write({ events, commit: committed }) {
      const stored = committed && commit(committed)
      for (const { tier, event } of events) if (tier === 'delta') delta(event)
      return stored ? quiet(stored.then(() => undefined)) : Promise.resolve()
    },
    commit: (given, options) => commit(given, options?.key),
    delta,
    standing: () => standing,
    messages: () => live.thread.now.committed().messages,
    committed: () => live.thread.now.committed(),
  }

  return {
    producer,
    get reserved() {
      return reserved
    },
    get asked() {
      return wanted
    },
    ask(ask) {
      if (gone || abort.signal.aborted) return
      wanted = ask
      graced.begin(ask)
      abort.abort(ask)
    },
    hear(message) {
      if (message.type === 'wanted') others.open()
    },
    giveUp: () =>
      lose(new FactwireError('store_failed', `the hub was closed, and its store has not answered for ${runId}`)),
    async close() {
      if (gone) return
      await stored()
      if (gone) return
      leave(waiting.next)
      await store.release(runId, epoch, waiting.next)
    },
  }
}

const refused = (error: unknown): Promise<never> => quiet(Promise.reject(error))

/** Who does not look at a promise is told by the signal. */
function quiet<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined)
  return promise
}
