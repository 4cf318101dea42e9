/** Looks for runs whose producer is lost, and has them ended. One that cannot be ended holds up no other, and has its turn behind them. */
import { inTime } from './patience.ts'
import type { Setting } from './setting.ts'

export interface LostRuns {
  /** Settles whatever the store does. */
  look(): Promise<void>
}

/** Runs in one look, and as many again that could not be ended in one before. */
const BATCH = 100
/** How many are ended at once. */
const LANES = 8

export function lostRuns(
  isHere: (runId: string) => boolean,
  endLost: (runId: string) => Promise<void>,
  { store, clock, limits, onError }: Setting,
): LostRuns {
  /** Those that could not be ended, the one that was tried last at the end. */
  const stuck = new Set<string>()

  async function end(runId: string): Promise<void> {
    stuck.delete(runId)
    // A producer of this process is not lost: its store is slow.
    if (isHere(runId)) return
    try {
      // Then the run is not this hub's any more.
      await inTime(clock, limits.leaseMs, endLost(runId), `what ${runId} is ended with`)
    } catch (error) {
      stuck.add(runId)
      onError(error)
    }
  }

  return {
    async look() {
      try {
        const found = new Set(await store.abandoned(clock.now(), BATCH + stuck.size))
        for (const runId of stuck) if (!found.has(runId)) stuck.delete(runId)
        const again = [...stuck].slice(0, BATCH)
        const due = [...[...found].filter((runId) => !stuck.has(runId)), ...again].values()
        const lane = async (): Promise<void> => {
          for (const runId of due) await end(runId)
        }
        await Promise.all(Array.from({ length: LANES }, lane))
      } catch (error) {
        onError(error)
      }
    },
  }
}
