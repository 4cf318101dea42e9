/**
 * A store whose every call has an end: what it has not answered in time has failed.
 *
 * It may do it later all the same. A step is known by its key then, and who has lost the run meanwhile is refused by its epoch.
 */
import type { Clock } from './clock.ts'
import type { Limits } from './limits.ts'
import type { Counters } from './metrics.ts'
import { inTime } from './patience.ts'
import type { FactStore } from './store.ts'

export function timelyStore(store: FactStore, clock: Clock, { leaseMs }: Limits, counters: Counters): FactStore {
  async function answered<Result>(call: Promise<Result>, milliseconds = leaseMs): Promise<Result> {
    try {
      return await inTime(clock, milliseconds, call, 'the store')
    } catch (error) {
      counters.storeFailures++
      throw error
    }
  }

  return {
    create: async (...given) => answered(store.create(...given)),
    load: async (...given) => answered(store.load(...given)),
    acquire: async (...given) => answered(store.acquire(...given)),
    // It is asked again before the lease is over.
    renew: async (...given) => answered(store.renew(...given), leaseMs / 3),
    release: async (...given) => answered(store.release(...given)),
    reserve: async (...given) => answered(store.reserve(...given)),
    append: async (...given) => answered(store.append(...given)),
    facts: async (...given) => answered(store.facts(...given)),
    steps: async (...given) => answered(store.steps(...given)),
    abandoned: async (...given) => answered(store.abandoned(...given)),
  }
}
