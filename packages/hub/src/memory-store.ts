/** A store that forgets with its process: for tests, and for servers whose runs may do the same. */
import type { RunContext } from '@factwire/core'
import type {
  Acquired,
  Append,
  Appended,
  Claim,
  Created,
  FactStore,
  Lease,
  RunRecord,
  StoredFact,
  StoredStep,
} from './store.ts'

interface Kept {
  readonly run: RunContext
  readonly steps: StoredStep[]
  readonly facts: StoredFact[]
  lease: Lease
  reserved: number
}

export function memoryStore(): FactStore {
  const runs = new Map<string, Kept>()

  const recordOf = ({ run, steps, facts, lease, reserved }: Kept): RunRecord => ({
    run,
    revision: steps.length,
    reserved,
    lastFact: facts.at(-1)?.seq ?? -1,
    standing: steps.at(-1)?.after ?? { openCalls: [] },
    lease,
  })

  async function create(run: RunContext, { owner, until }: Claim, reserve: number): Promise<Created> {
    const there = runs.get(run.runId)
    if (there) return { created: false, record: recordOf(there) }
    const kept: Kept = { run: copy(run), steps: [], facts: [], lease: { owner, epoch: 1, until }, reserved: reserve }
    runs.set(run.runId, kept)
    return { created: true, record: recordOf(kept) }
  }

  async function acquire(runId: string, { owner, now, until }: Claim): Promise<Acquired> {
    const kept = runs.get(runId)
    if (!kept) return { type: 'unknown' }
    if (kept.lease.until > now) return { type: 'refused', lease: kept.lease }
    kept.lease = { owner, epoch: kept.lease.epoch + 1, until }
    return { type: 'held', record: recordOf(kept) }
  }

  async function append(runId: string, { epoch, revision, key, reserve, release, step }: Append): Promise<Appended> {
    const kept = known(runId)
    const same = kept.steps.find((other) => other.key === key)
    if (same) return { type: 'repeated', revision: same.revision, first: same.facts[0]?.seq }
    if (kept.lease.epoch !== epoch) return { type: 'fenced', epoch: kept.lease.epoch }
    if (kept.steps.length !== revision) return { type: 'conflict', revision: kept.steps.length }
    const stored: StoredStep = { ...copy(step), revision: revision + 1, key }
    kept.steps.push(stored)
    kept.facts.push(...stored.facts.map((fact, index) => ({ ...fact, last: index === stored.facts.length - 1 })))
    kept.reserved = release ? reserve : Math.max(kept.reserved, reserve)
    if (release) kept.lease = { ...kept.lease, until: 0 }
    return { type: 'appended', revision: stored.revision }
  }

  function known(runId: string): Kept {
    const kept = runs.get(runId)
    if (!kept) throw new TypeError(`there is no run ${runId}: create it first`)
    return kept
  }

  return {
    create,
    acquire,
    append,
    async load(runId) {
      const kept = runs.get(runId)
      return kept && recordOf(kept)
    },
    async renew(runId, epoch, until) {
      const kept = known(runId)
      if (kept.lease.epoch !== epoch) return false
      const before = kept.lease.until
      kept.lease = { ...kept.lease, until: before === 0 ? 0 : Math.max(before, until) }
      return true
    },
    async release(runId, epoch, next) {
      const kept = known(runId)
      if (kept.lease.epoch !== epoch) return
      kept.lease = { ...kept.lease, until: 0 }
      kept.reserved = next
    },
    async reserve(runId, epoch, upTo) {
      const kept = known(runId)
      if (kept.lease.epoch !== epoch) return false
      kept.reserved = Math.max(kept.reserved, upTo)
      return true
    },
    async facts(runId, after, limit) {
      const facts = runs.get(runId)?.facts ?? []
      const start = facts.findIndex(({ seq }) => seq > after)
      return start < 0 ? [] : facts.slice(start, start + limit)
    },
    steps: async (runId, after, limit) => runs.get(runId)?.steps.slice(after, after + limit) ?? [],
    async abandoned(now, limit) {
      const lost = [...runs.values()].filter(({ lease, steps }) => {
        const state = steps.at(-1)?.after.state
        return lease.until <= now && (state === undefined || state.type === 'running')
      })
      return lost.slice(0, limit).map(({ run }) => run.runId)
    },
  }
}

/** What is stored is JSON, and nobody else's object. */
const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value
