/** A run that another process produces, or nobody: facts are read from the store, deltas come over the bus. */
import type { Ask, LiveBus, LiveMessage } from './bus.ts'
import { earlyDeltas } from './early.ts'
import type { LiveRun } from './live-run.ts'
import type { Setting } from './setting.ts'
import { readSteps } from './steps.ts'
import type { StoredStep } from './store.ts'

export interface Follow {
  /** Shows all that is stored by now. */
  sync(): Promise<void>
  stop(): void
}

export interface FollowOptions {
  readonly bus: LiveBus | undefined
  show(step: StoredStep): void
  /** Somebody wants it to end. */
  onAsk(runId: string, ask: Ask): void
}

export function follow(live: LiveRun, { bus, show, onAsk }: FollowOptions, setting: Setting): Follow {
  const { clock, limits, held, onError } = setting
  const { runId } = live.run
  let stopped = false
  let reading: Promise<void> | undefined
  let again = false
  let epoch = 0
  const early = earlyDeltas(limits.queueUnits, held)
  let unsubscribe: (() => void) | undefined
  let cancelPoll: (() => void) | undefined

  const isOver = (): boolean => live.thread.now.standing.state?.type === 'ended'

  async function read(): Promise<void> {
    try {
      do {
        again = false
        await readSteps(
          runId,
          setting,
          () => live.thread.now.revision,
          // Once it is produced here, its producer shows what it stores.
          (step) => {
            if (!stopped) show(step)
          },
        )
      } while (again && !stopped)
    } finally {
      // At once: whoever comes now would wait for a look that is over.
      reading = undefined
    }
    showEarly()
  }

  function sync(): Promise<void> {
    again = true
    reading ??= read()
    return reading
  }

  /**
   * Behind one that was lost no more of its step is shown: a number says that all up to it was seen, whatever process somebody comes back
   * to with it.
   */
  function showEarly(): void {
    const { lastFact } = live.thread.now
    let taken: unknown
    for (const { seq, delta, after, whole } of early.due(lastFact)) {
      if (whole && after === lastFact && live.head === lastFact) taken = whole
      const isNext = whole ? whole === taken && seq > live.head : seq === live.head + 1
      if (isNext && !live.unsure.lacks) live.delta(seq, delta)
    }
  }

  function hear(message: LiveMessage): void {
    if (stopped || message.type === 'wanted') return
    if (message.type === 'ask') {
      onAsk(runId, message.ask)
      return
    }
    if (message.epoch < epoch) return
    epoch = message.epoch
    if (message.type === 'facts') {
      if (message.last > live.thread.now.lastFact) sync().catch(onError)
      return
    }
    const { after, deltas, whole } = message
    early.add(after, deltas, whole)
    if (after > live.thread.now.lastFact) sync().catch(onError)
    else showEarly()
  }

  function pollLater(): void {
    if (stopped || isOver()) return
    cancelPoll = clock.after(limits.pollMs, () => {
      sync().catch(onError).finally(pollLater)
    })
  }

  bus?.subscribe(runId, hear).then(
    (cancel) => {
      if (stopped) cancel()
      else {
        unsubscribe = cancel
        bus.publish(runId, { type: 'wanted' })
        // What was published before it listened.
        sync().catch(onError)
      }
    },
    (error: unknown) => onError(error),
  )
  sync().catch(onError)
  pollLater()

  return {
    sync,
    stop() {
      stopped = true
      early.drop()
      cancelPoll?.()
      unsubscribe?.()
    },
  }
}
