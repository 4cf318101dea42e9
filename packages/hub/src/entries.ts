/** What becomes of the runs of a hub, by their ids: they are found, produced, asked to end, ended when lost, and let go. */
import type { FoldOptions, RunContext } from '@factwire/core'
import { asks } from './asks.ts'
import type { Ask, LiveBus } from './bus.ts'
import { type Entry, holding, knownRuns } from './known.ts'
import { producing } from './produce.ts'
import type { Producer } from './producer.ts'
import type { Said } from './last-commits.ts'
import { endAbandoned, isAbandoned, isUnfinished, PRODUCER_LOST } from './reap.ts'
import { lostRuns } from './lost-runs.ts'
import { atMost, inTime } from './patience.ts'
import type { Setting } from './setting.ts'

export interface Entries {
  all(): readonly Entry[]
  find(runId: string): Promise<Entry | undefined>
  produce(run: RunContext): Promise<Producer>
  ask(runId: string, ask: Ask): Promise<boolean>
  /** Whether the run has given out that number. Then what is stored is shown: who names it may have seen that in another process. */
  reaches(entry: Entry, position: number): Promise<boolean>
  /** False once it was let go: nothing comes of it any more. */
  has(entry: Entry): boolean
  /** Ends the runs whose producer is lost. Settles whatever the store does. */
  reap(): Promise<void>
  /** Forgets runs that nobody has had to do with for a while; sooner where there is too much of them. */
  letGo(now: number): void
  close(): Promise<void>
}

export interface EntriesOptions {
  readonly owner: string
  readonly bus: LiveBus | undefined
  readonly fold: FoldOptions
  readonly said: Said
}

export function entries({ owner, bus, fold, said }: EntriesOptions, setting: Setting): Entries {
  const { store, clock, limits, counters, held, onError } = setting
  const known = knownRuns(bus, (runId, what) => asked.heard(runId, what), setting)
  const asked = asks({ known, bus, owner, fold, said, tell }, setting)
  const { produce, quiet } = producing(known, { owner, bus, fold, said, asked, endLost }, setting)
  const lost = lostRuns((runId) => known.all.get(runId)?.host !== undefined, endLost, setting)
  const loading = new Map<string, Promise<Entry | undefined>>()

  async function load(runId: string): Promise<Entry | undefined> {
    let record = await store.load(runId)
    if (record && isAbandoned(record, clock.now())) {
      await endLost(runId)
      record = await store.load(runId)
    }
    return record && known.enter(record)
  }

  async function find(runId: string): Promise<Entry | undefined> {
    const there = known.all.get(runId)
    if (there) {
      there.used = clock.now()
      return known.followed(there)
    }
    const running =
      loading.get(runId) ??
      inTime(clock, limits.leaseMs, load(runId), 'the store').finally(() => {
        loading.delete(runId)
      })
    loading.set(runId, running)
    const found = await running
    return found && known.followed(found)
  }

  async function endLost(runId: string): Promise<void> {
    const last = await endAbandoned(runId, { owner, cause: PRODUCER_LOST, fits: isUnfinished, fold, said }, setting)
    if (last === undefined) return
    counters.reaped++
    await tell(runId, last)
  }

  /** A fact was stored that no producer here has shown. */
  async function tell(runId: string, last: number): Promise<void> {
    bus?.publish(runId, { type: 'facts', epoch: Number.MAX_SAFE_INTEGER, last })
    const entry = known.all.get(runId)
    if (entry && !entry.host) await known.catchUp(entry)
  }

  async function reaches(entry: Entry, position: number): Promise<boolean> {
    if (position <= entry.live.head) return true
    if (position >= Math.max(entry.host?.reserved ?? 0, entry.reserved)) {
      entry.reserved = (await store.load(entry.live.run.runId))?.reserved ?? entry.reserved
      if (position >= entry.reserved) return false
    }
    await entry.follow?.sync()
    return true
  }

  return {
    all: () => [...known.all.values()],
    find,
    produce,
    ask: asked.ask,
    reaches: (entry, position) => holding(entry, () => reaches(entry, position)),
    has: (entry) => known.all.get(entry.live.run.runId) === entry,
    reap: lost.look,
    letGo(now) {
      const idle = [...known.all.values()].filter(
        ({ host, readers, awaited }) => !host && readers.size === 0 && awaited === 0,
      )
      const longest = held.threadUnits > limits.threadUnits ? idle.toSorted((a, b) => a.used - b.used) : idle
      for (const entry of longest) {
        if (now - entry.used >= limits.lingerMs || held.threadUnits > limits.threadUnits) known.letGo(entry)
      }
    },
    async close() {
      known.close()
      asked.stop()
      const hosts = [...known.all.values()].flatMap(({ host: made }) => made ?? [])
      // One that cannot be given back is over with its lease, and keeps no other.
      const closing = Promise.all([...hosts.map((made) => made.close().catch(onError)), quiet()])
      // The last commit of a host may be of a run that is to end.
      await atMost(clock, limits.closeMs, closing.then(asked.quiet))
      for (const made of hosts) made.giveUp()
      known.dispose()
    },
  }
}
