/** Each tenant has a hub, a store and runs of its own: nothing of another can be named. */
import { randomUUID } from 'node:crypto'
import { createHub, type Hub, type Limits } from '@factwire/hub'
import { saidIn } from '@factwire/runtime'
import type { Agents } from './agents.ts'
import { notes } from './notes.ts'
import { Refused } from './refused.ts'
import { type Runs, runs } from './runs.ts'
import { exclusive, type Storage, timed } from './storage.ts'
import { threaded } from './threaded.ts'

export interface Tenant {
  readonly name: string
  readonly hub: Hub
  readonly storage: Storage
  readonly runs: Runs
  readonly agents: Agents
  /**
   * Keeps a place for a reader that is still to come, and gives back how to let go of it. `retryAfter`: seconds until somebody who
   * finds none may ask again.
   *
   * @throws Refused 503 when there is none.
   */
  room(retryAfter?: string): () => void
}

export interface TenantOptions {
  readonly storage: Storage
  readonly agents: Agents
  readonly limits: Partial<Limits>
  readonly mostRuns: number
  onError(error: unknown): void
}

export function tenant(name: string, { storage: given, agents, limits, mostRuns, onError }: TenantOptions): Tenant {
  const owner = randomUUID()
  const storage: Storage = { ...given, facts: threaded(given.facts) }
  const { store, note } = notes(timed(storage.facts))
  const hub = createHub({
    store: exclusive(store, owner),
    owner,
    limits,
    fold: { reasoning: 'text' },
    // Also a run that nobody writes keeps it: one that waits and is cancelled, one that a dead process has left.
    said: saidIn(storage.journal),
    onError,
  })
  let coming = 0
  return {
    name,
    hub,
    storage,
    agents,
    runs: runs({ hub, storage, agents, most: mostRuns, note, onError }),
    room(retryAfter = '5') {
      const { readers, limits: most } = hub.metrics()
      if (readers + coming >= most.readers)
        throw new Refused(503, 'too_many_readers', 'too many read already', { headers: { 'retry-after': retryAfter } })
      coming++
      let isKept = true
      return () => {
        if (isKept) coming--
        isKept = false
      }
    },
  }
}
