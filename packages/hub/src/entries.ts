/** The runs that a hub has in memory: each is produced here, followed, or over. */
import { type FoldOptions, FactwireError, type RunContext } from '@factwire/core'
import type { Ask, LiveBus } from './bus.ts'
import { type Follow, follow } from './follow.ts'
import { type Host, host } from './host.ts'
import { type LiveRun, liveRun } from './live-run.ts'
import type { Producer } from './producer.ts'
import type { Reader } from './reader.ts'
import { endAbandoned, isAbandoned, isUnfinished, PRODUCER_LOST } from './reap.ts'
import type { Setting } from './setting.ts'
import { readSteps } from './steps.ts'
import type { RunRecord, StoredStep } from './store.ts'

export interface Entry {
  readonly live: LiveRun
  readonly readers: Set<Reader>
  readonly keys: Map<string, number>
  host: Host | undefined
  follow: Follow | undefined
  /** Numbers below are known to be given out. */
  reserved: number
  /** When somebody last had to do with it. */
  used: number
  unlisten: (() => void) | undefined
}

export interface Entries {
  all(): readonly Entry[]
  find(runId: string): Promise<Entry | undefined>
  produce(run: RunContext): Promise<Producer>
  ask(runId: string, ask: Ask): Promise<boolean>
  isGiven(entry: Entry, position: number): Promise<boolean>
  /** Ends the runs whose producer is lost. */
  reap(): Promise<void>
  /** Forgets runs that nobody has had to do with for a while. */
  letGo(now: number): void
  close(): Promise<void>
}

export interface EntriesOptions {
  readonly owner: string
  readonly bus: LiveBus | undefined
  readonly fold: FoldOptions
}

/** Runs in one look for abandoned ones. */
const BATCH = 100

export function entries({ owner, bus, fold }: EntriesOptions, setting: Setting): Entries {
  const { store, clock, limits, counters, onError } = setting
  const known = new Map<string, Entry>()
  const loading = new Map<string, Promise<Entry | undefined>>()
  const entering = new Map<string, Promise<Entry>>()
  /** Producers on their way. */
  const coming = new Set<Promise<Producer>>()
  let closed = false

  async function load(runId: string): Promise<Entry | undefined> {
    let record = await store.load(runId)
    if (record && isAbandoned(record, clock.now())) {
      await endLost(runId)
      record = await store.load(runId)
    }
    return record && enter(record)
  }

  /** A run has one entry, whoever comes while it is made. */
  function enter(record: RunRecord): Promise<Entry> {
    const { runId } = record.run
    const there = known.get(runId)
    if (there) return Promise.resolve(there)
    const running = entering.get(runId) ?? made(record).finally(() => entering.delete(runId))
    entering.set(runId, running)
    return running
  }

  async function made(record: RunRecord): Promise<Entry> {
    const entry: Entry = {
      live: liveRun(record.run, setting),
      readers: new Set(),
      keys: new Map(),
      host: undefined,
      follow: undefined,
      reserved: record.reserved,
      used: clock.now(),
      unlisten: undefined,
    }
    if (record.revision > 0) await catchUp(entry)
    if (entry.live.thread.now.standing.state?.type === 'running') entry.live.missedOpen()
    if (closed) entry.live.dispose()
    else known.set(record.run.runId, entry)
    return entry
  }

  function show({ live, keys }: Entry, step: StoredStep): void {
    keys.set(step.key, step.revision)
    live.step(step)
  }

  function catchUp(entry: Entry): Promise<void> {
    const { live } = entry
    const { runId } = live.run
    return readSteps(
      runId,
      setting,
      () => live.thread.now.revision,
      (step) => show(entry, step),
    )
  }

  function followed(entry: Entry): Entry {
    const { standing } = entry.live.thread.now
    if (!closed && !entry.host && !entry.follow && standing.state?.type !== 'ended')
      entry.follow = follow(entry.live, bus, (step) => show(entry, step), setting)
    return entry
  }

  async function find(runId: string): Promise<Entry | undefined> {
    const there = known.get(runId)
    if (there) {
      there.used = clock.now()
      return followed(there)
    }
    const running =
      loading.get(runId) ??
      load(runId).finally(() => {
        loading.delete(runId)
      })
    loading.set(runId, running)
    const found = await running
    return found && followed(found)
  }

  async function endLost(runId: string): Promise<void> {
    const last = await endAbandoned(runId, owner, PRODUCER_LOST, isUnfinished, setting, fold)
    if (last === undefined) return
    counters.reaped++
    await tell(runId, last)
  }

  /** A fact was stored that no producer here has shown. */
  async function tell(runId: string, last: number): Promise<void> {
    bus?.publish(runId, { type: 'facts', epoch: Number.MAX_SAFE_INTEGER, last })
    const entry = known.get(runId)
    if (entry && !entry.host) await catchUp(entry)
  }

  // ── Produce ──

  async function produce(run: RunContext): Promise<Producer> {
    if (closed) throw hubClosed()
    const producing = claim(run)
    coming.add(producing)
    try {
      return await producing
    } finally {
      coming.delete(producing)
    }
  }

  async function claim(run: RunContext): Promise<Producer> {
    const { runId } = run
    const now = clock.now()
    const lease = { owner, now, until: now + limits.leaseMs }
    const { created, record } = await store.create(run, lease, limits.reserveBlock)
    if (created) return hosted(await enter(record), record, 0)
    // A producer of this process is not lost, however long it could not renew its lease.
    const here = known.get(runId)
    if (!here?.host && isAbandoned(record, now)) await endLost(runId)
    const isFree = record.standing.state?.type === 'awaiting' && !here?.live.isBeginning
    const taken = isFree ? await store.acquire(runId, lease) : undefined
    if (taken?.type === 'held' && taken.record.standing.state?.type === 'awaiting') {
      const entry = await enter(taken.record)
      await catchUp(entry)
      return hosted(entry, taken.record, taken.record.reserved)
    }
    if (taken?.type === 'held') await store.release(runId, taken.record.lease.epoch, taken.record.reserved)
    const over = (await store.load(runId))?.standing.state?.type === 'ended'
    if (over) throw new FactwireError('run_ended', `${runId} has ended`)
    throw new FactwireError('run_taken', `another producer has ${runId}`)
  }

  async function hosted(entry: Entry, record: RunRecord, next: number): Promise<Producer> {
    const { live, keys } = entry
    if (closed) {
      await store.release(live.run.runId, record.lease.epoch, next)
      throw hubClosed()
    }
    entry.follow?.stop()
    entry.follow = undefined
    const made = host(
      live,
      {
        record,
        next,
        keys,
        bus,
        fold,
        onGone() {
          entry.reserved = made.reserved
          entry.host = undefined
          entry.used = clock.now()
          entry.unlisten?.()
          entry.unlisten = undefined
          neverBegan(entry)
          followed(entry)
        },
      },
      setting,
    )
    entry.host = made
    live.begins()
    void listen(entry, made)
    return made.producer
  }

  /** A run that waits may do so for good: who came for its next segment is sent away, and may come back. */
  function neverBegan({ live, readers }: Entry): void {
    if (!live.isBeginning) return
    live.beginsNot()
    if (live.thread.now.standing.state?.type !== 'awaiting') return
    for (const each of Array.from(readers)) if (each.expects) each.end('closed')
  }

  /** Other processes may want what is open, or the run to end. */
  async function listen(entry: Entry, made: Host): Promise<void> {
    if (!bus) return
    try {
      const cancel = await bus.subscribe(entry.live.run.runId, (message) => {
        if (message.type === 'ask') made.ask(message.ask)
        else made.hear(message)
      })
      if (entry.host === made) entry.unlisten = cancel
      else cancel()
    } catch (error) {
      onError(error)
    }
  }

  // ── End ──

  async function ask(runId: string, what: Ask): Promise<boolean> {
    const here = known.get(runId)?.host
    if (here) {
      here.ask(what)
      return true
    }
    const record = await store.load(runId)
    if (!record || record.standing.state?.type === 'ended') return false
    if (record.standing.state?.type !== 'awaiting') {
      bus?.publish(runId, { type: 'ask', ask: what })
      return bus !== undefined
    }
    const last = await endAbandoned(runId, owner, what, (now) => now.standing.state?.type === 'awaiting', setting, fold)
    if (last !== undefined) await tell(runId, last)
    return last !== undefined
  }

  return {
    all: () => [...known.values()],
    find,
    produce,
    ask,
    async isGiven(entry, position) {
      if (position < Math.max(entry.host?.reserved ?? 0, entry.reserved, entry.live.head + 1)) return true
      entry.reserved = (await store.load(entry.live.run.runId))?.reserved ?? entry.reserved
      return position < entry.reserved
    },
    async reap() {
      for (const runId of await store.abandoned(clock.now(), BATCH)) {
        // A producer of this process is not lost: its store is slow.
        if (!known.get(runId)?.host) await endLost(runId)
      }
    },
    letGo(now) {
      for (const [runId, entry] of known) {
        if (entry.host || entry.readers.size > 0 || now - entry.used < limits.lingerMs) continue
        entry.follow?.stop()
        entry.live.dispose()
        known.delete(runId)
      }
    },
    async close() {
      closed = true
      const closing = [...known.values()].flatMap(({ host: made }) => (made ? [made.close()] : []))
      await Promise.all([...closing, Promise.allSettled(coming)])
      for (const entry of known.values()) {
        entry.follow?.stop()
        entry.unlisten?.()
        entry.live.dispose()
      }
      known.clear()
    },
  }
}

const hubClosed = (): TypeError => new TypeError('this hub is closed: make another')
