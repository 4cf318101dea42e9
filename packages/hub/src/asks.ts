/**
 * Runs that somebody outside wants to end: their producer is asked, wherever it is, and where they wait the hub ends them.
 *
 * Whoever asked was told that the run ends. A bus may lose that, and a producer may have the run wait instead, or die: so it is asked again
 * until the run has ended.
 */
import type { Ask, LiveBus } from './bus.ts'
import type { Known } from './known.ts'
import { endAbandoned, type Ending } from './reap.ts'
import type { Setting } from './setting.ts'
import type { RunRecord } from './store.ts'

export interface Asks {
  /** False when there is nothing to end, or nobody can be asked. */
  ask(runId: string, what: Ask): Promise<boolean>
  /** How a run is to end that was asked to and has not yet. */
  of(runId: string): Ask | undefined
  /** A producer was asked, and has the run wait instead. */
  keep(runId: string, what: Ask): void
  /** Another process asks. It does so again. */
  heard(runId: string, what: Ask): void
  /** Asks no more. */
  stop(): void
  /** Settles when nothing is on its way. */
  quiet(): Promise<unknown>
}

export interface AsksOptions extends Pick<Ending, 'owner' | 'fold' | 'said'> {
  readonly known: Known
  readonly bus: LiveBus | undefined
  /** A fact was stored that no producer here has shown. */
  tell(runId: string, last: number): Promise<void>
}

type Became =
  /** It has ended, or its producer here sees to it. */
  'ends' | 'over' | 'sent' | 'nobody'

interface Kept {
  readonly what: Ask
  callOff(): void
}

export function asks({ known, bus, tell, ...ending }: AsksOptions, setting: Setting): Asks {
  const { store, clock, limits, onError } = setting
  const kept = new Map<string, Kept>()
  const underWay = new Set<Promise<unknown>>()

  async function attempt(runId: string, what: Ask): Promise<Became> {
    if (askHere(runId, what)) return 'ends'
    const record = await store.load(runId)
    if (!record || record.standing.state?.type === 'ended') return 'over'
    if (waits(record)) {
      if (await endWaiting(runId, what)) return 'ends'
      // Somebody goes on with it, or another has ended it.
      if (askHere(runId, what)) return 'ends'
      if ((await store.load(runId))?.standing.state?.type === 'ended') return 'over'
    }
    bus?.publish(runId, { type: 'ask', ask: what })
    return bus ? 'sent' : 'nobody'
  }

  function askHere(runId: string, what: Ask): boolean {
    const here = known.all.get(runId)?.host
    here?.ask(what)
    return here !== undefined
  }

  async function endWaiting(runId: string, cause: Ask): Promise<boolean> {
    const last = await endAbandoned(runId, { ...ending, cause, fits: waits }, setting)
    if (last !== undefined) await tell(runId, last)
    return last !== undefined
  }

  function later(runId: string, what: Ask): void {
    kept.get(runId)?.callOff()
    if (!known.isClosed) kept.set(runId, { what, callOff: clock.after(limits.graceMs, () => again(runId, what)) })
  }

  function again(runId: string, what: Ask): void {
    const asked = attempt(runId, what).then(
      (became) => {
        if (became === 'sent' || became === 'nobody') later(runId, what)
        else drop(runId)
      },
      (error: unknown) => {
        onError(error)
        later(runId, what)
      },
    )
    follow(asked)
  }

  function drop(runId: string): void {
    kept.get(runId)?.callOff()
    kept.delete(runId)
  }

  function follow(asked: Promise<unknown>): void {
    underWay.add(asked)
    void asked.then(() => underWay.delete(asked))
  }

  return {
    async ask(runId, what) {
      const became = await attempt(runId, what)
      if (became === 'sent') later(runId, what)
      return became === 'ends' || became === 'sent'
    },
    of: (runId) => kept.get(runId)?.what,
    keep(runId, what) {
      later(runId, what)
      again(runId, what)
    },
    heard(runId, what) {
      const ended = store.load(runId).then((record) => (record && waits(record) ? endWaiting(runId, what) : undefined))
      follow(ended.catch(onError))
    },
    stop() {
      for (const runId of kept.keys()) drop(runId)
    },
    quiet: () => Promise.all(underWay),
  }
}

const waits = ({ standing: { state } }: RunRecord): boolean => state?.type === 'awaiting'
