/** Who may produce a run: one at a time, a run that begins or one that waits. Another is told why not. */
import { FactwireError, type FoldOptions, type RunContext } from '@factwire/core'
import type { Asks } from './asks.ts'
import type { LiveBus } from './bus.ts'
import { type Host, host } from './host.ts'
import type { Entry, Known } from './known.ts'
import type { Producer } from './producer.ts'
import type { Said } from './last-commits.ts'
import { isAbandoned } from './reap.ts'
import type { Setting } from './setting.ts'
import type { RunRecord } from './store.ts'

export interface ProduceOptions {
  readonly owner: string
  readonly bus: LiveBus | undefined
  readonly fold: FoldOptions
  readonly said: Said
  readonly asked: Pick<Asks, 'of' | 'keep'>
  /** Ends a run whose producer is lost. */
  endLost(runId: string): Promise<void>
}

export interface Producing {
  produce(run: RunContext): Promise<Producer>
  /** Settles when nobody is about to produce any more. */
  quiet(): Promise<unknown>
}

export function producing(known: Known, options: ProduceOptions, setting: Setting): Producing {
  const { owner, bus, fold, said, asked, endLost } = options
  const { store, clock, limits, onError } = setting
  /** Producers on their way. */
  const coming = new Set<Promise<Producer>>()

  async function claim(run: RunContext): Promise<Producer> {
    const { runId } = run
    const now = clock.now()
    const lease = { owner, now, until: now + limits.leaseMs }
    const { created, record } = await store.create(run, lease, limits.reserveBlock)
    if (created) return hosted(await known.enter(record), record, 0)
    // A producer of this process is not lost, however long it could not renew its lease.
    const here = known.all.get(runId)
    if (!here?.host && isAbandoned(record, now)) await endLost(runId)
    const isFree = record.standing.state?.type === 'awaiting' && !here?.live.isBeginning
    const taken = isFree ? await store.acquire(runId, lease) : undefined
    if (taken?.type === 'held' && taken.record.standing.state?.type === 'awaiting') {
      const entry = await known.enter(taken.record)
      await known.catchUp(entry)
      return hosted(entry, taken.record, taken.record.reserved)
    }
    if (taken?.type === 'held') await store.release(runId, taken.record.lease.epoch, taken.record.reserved)
    const over = (await store.load(runId))?.standing.state?.type === 'ended'
    if (over) throw new FactwireError('run_ended', `${runId} has ended`)
    throw new FactwireError('run_taken', `another producer has ${runId}`)
  }

  async function hosted(entry: Entry, record: RunRecord, next: number): Promise<Producer> {
    const { live, keys } = entry
    if (known.isClosed) {
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
        said,
        onGone() {
          entry.reserved = made.reserved
          entry.host = undefined
          entry.used = clock.now()
          entry.unlisten?.()
          entry.unlisten = undefined
          neverBegan(entry)
          known.followed(entry)
          if (made.asked && live.thread.now.standing.state?.type === 'awaiting') asked.keep(live.run.runId, made.asked)
        },
      },
      setting,
    )
    entry.host = made
    live.begins()
    void listen(entry, made)
    // It came before the hub could end it.
    const before = asked.of(live.run.runId)
    if (before) made.ask(before)
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

  return {
    async produce(run) {
      if (known.isClosed) throw hubClosed()
      const made = claim(run)
      coming.add(made)
      try {
        return await made
      } finally {
        coming.delete(made)
      }
    },
    quiet: () => Promise.allSettled(coming),
  }
}

const hubClosed = (): TypeError => new TypeError('this hub is closed: make another')
