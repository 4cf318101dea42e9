/** The runs that a hub has in memory: each is made once, from the store, whoever comes while it is made. */
import type { Ask, LiveBus } from './bus.ts'
import { type Follow, follow } from './follow.ts'
import type { Host } from './host.ts'
import { type LiveRun, liveRun } from './live-run.ts'
import type { Reader } from './reader.ts'
import type { Setting } from './setting.ts'
import { readSteps } from './steps.ts'
import type { RunRecord, StoredStep } from './store.ts'

/** A run that is produced here, followed, or over. */
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
  /** So many wait for the store with it, before they read or write. */
  awaited: number
}

export interface Known {
  readonly all: ReadonlyMap<string, Entry>
  readonly isClosed: boolean
  /** The entry of a run that is stored. */
  enter(record: RunRecord): Promise<Entry>
  /** Shows all that is stored by now. */
  catchUp(entry: Entry): Promise<void>
  /** Sees to it that what others store of the run is shown, while nobody here produces it. */
  followed(entry: Entry): Entry
  letGo(entry: Entry): void
  /** From now on nothing is kept. */
  close(): void
  dispose(): void
}

/** `onAsk`: another process wants a run to end that is followed here. */
export function knownRuns(bus: LiveBus | undefined, onAsk: (runId: string, ask: Ask) => void, setting: Setting): Known {
  const { clock } = setting
  const known = new Map<string, Entry>()
  const entering = new Map<string, Promise<Entry>>()
  let isClosed = false

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
      awaited: 0,
    }
    try {
      if (record.revision > 0) await catchUp(entry)
    } catch (error) {
      // Nobody else knows of it, and what was read of it is held.
      entry.live.dispose()
      throw error
    }
    if (entry.live.thread.now.standing.state?.type === 'running') entry.live.missedOpen()
    if (isClosed) entry.live.dispose()
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
    return holding(entry, () =>
      readSteps(
        runId,
        setting,
        () => live.thread.now.revision,
        (step) => show(entry, step),
      ),
    )
  }

  function stop({ follow: following, unlisten, live }: Entry): void {
    following?.stop()
    unlisten?.()
    live.dispose()
  }

  return {
    all: known,
    get isClosed() {
      return isClosed
    },
    enter(record) {
      const { runId } = record.run
      const there = known.get(runId)
      if (there) return Promise.resolve(there)
      const running = entering.get(runId) ?? made(record).finally(() => entering.delete(runId))
      entering.set(runId, running)
      return running
    },
    catchUp,
    followed(entry) {
      const { standing } = entry.live.thread.now
      if (!isClosed && !entry.host && !entry.follow && standing.state?.type !== 'ended')
        entry.follow = follow(entry.live, { bus, show: (step) => show(entry, step), onAsk }, setting)
      return entry
    },
    letGo(entry) {
      stop(entry)
      known.delete(entry.live.run.runId)
    },
    close() {
      isClosed = true
    },
    dispose() {
      for (const entry of known.values()) stop(entry)
      known.clear()
    },
  }
}

/** Whoever waits here finds the entry still known afterwards: it is not let go meanwhile. */
export async function holding<Result>(entry: Entry, wait: () => Promise<Result>): Promise<Result> {
  entry.awaited++
  try {
    return await wait()
  } finally {
    entry.awaited--
  }
}
