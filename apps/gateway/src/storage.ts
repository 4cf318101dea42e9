/**
 * What a tenant's runs are kept in: facts, what the loop has to remember, and which runs there are. In memory here; on a disk in
 * `sqlite-storage.ts`.
 */
import type { ClientTool, RunContext } from '@factwire/core'
import { type FactStore, memoryStore, type RunRecord } from '@factwire/hub'
import { type Journal, memoryCheckpoints, memoryJournal, type StreamCheckpointStore } from '@factwire/runtime'
import type { Noted } from './notes.ts'

export interface Storage {
  readonly facts: FactStore
  readonly journal: Journal
  readonly checkpoints: StreamCheckpointStore
  /** Newest first, without their histories. */
  runs(query: RunsQuery): Promise<readonly RunRecord[]>
  close(): Promise<void>
}

export interface RunsQuery {
  readonly thread?: string
  /** Only runs that wait. */
  readonly waiting?: boolean
  /** Only runs that wait, and have this call open. */
  readonly call?: string
  /** Only runs that a request has gone on with under this id. */
  readonly mark?: string
  /** Only runs that were begun before this one. */
  readonly before?: string
  readonly limit: number
}

const PAGE = 20

/** All runs that wait and have this call open, the newest first: providers give the same id to calls of many. */
export async function* waitingFor(storage: Pick<Storage, 'runs'>, call: string): AsyncGenerator<RunRecord> {
  for (let before: string | undefined; ;) {
    const page = await storage.runs({ call, ...(before === undefined ? {} : { before }), limit: PAGE })
    yield* page
    before = page.at(-1)?.run.runId
    if (page.length < PAGE) return
  }
}

/** A run as the gateway stores it: what its context says, and what a segment of it needs again after a restart. */
export interface KeptRun extends RunContext {
  /** The wire that it was begun on. */
  readonly wire: string
  /** What the model is told first, beside what it always is. */
  readonly instructions?: string
  /** What its request was, where that may come again under the same key. */
  readonly digest?: string
  /** Tools that its client runs. */
  readonly tools?: readonly ClientTool[]
  /** The run whose thread it goes on with, and how many messages of that thread are before its own. */
  readonly goesOn?: { readonly runId: string; readonly messages: number }
}

/** What the gateway adds to a step: Unix time, milliseconds. */
export interface Timed {
  readonly at: number
}

/** A store whose steps say when they were stored. */
export function timed(store: FactStore, now: () => number = Date.now): FactStore {
  return {
    ...store,
    append(runId, request) {
      const step: typeof request.step & Timed = { ...request.step, at: now() }
      return store.append(runId, { ...request, step })
    },
  }
}

const EVERYBODY = 1_000_000

/**
 * A store that no other process writes: who else has held a run is gone, and its lease with it. Without this whoever asks after a crash
 * waits for the lease to run out.
 */
export function exclusive(store: FactStore, owner: string): FactStore {
  /** Those that were unfinished when it was asked first: whoever had them is gone, but for those that this process has by now. */
  let left: readonly string[] | undefined
  const freed = (record: RunRecord): RunRecord =>
    record.lease.owner === owner ? record : { ...record, lease: { ...record.lease, until: 0 } }
  return {
    ...store,
    async create(run, claim, reserve) {
      const { created, record } = await store.create(run, claim, reserve)
      return { created, record: freed(record) }
    },
    async load(runId) {
      const record = await store.load(runId)
      return record && freed(record)
    },
    async acquire(runId, claim) {
      const { lease } = (await store.load(runId)) ?? {}
      const now = lease && lease.owner !== owner ? Math.max(claim.now, lease.until) : claim.now
      return store.acquire(runId, { ...claim, now })
    },
    async abandoned(now, limit) {
      left ??= await store.abandoned(Number.MAX_SAFE_INTEGER, EVERYBODY)
      if (left.length === 0) return store.abandoned(now, limit)
      const some = left.slice(0, limit)
      left = left.slice(limit)
      return some
    },
  }
}

/** Forgets with its process, and nothing before that. */
export function memoryStorage(): Storage {
  const store = memoryStore()
  const [journal, checkpoints] = [memoryJournal(), memoryCheckpoints()]
  const all: string[] = []
  const byThread = new Map<string, string[]>()
  const byMark = new Map<string, string>()

  async function create(...[run, claim, reserve]: Parameters<FactStore['create']>): ReturnType<FactStore['create']> {
    const made = await store.create(run, claim, reserve)
    if (!made.created) return made
    all.push(run.runId)
    const same = byThread.get(run.threadId)
    if (same) same.push(run.runId)
    else byThread.set(run.threadId, [run.runId])
    return made
  }

  async function append(...[runId, request]: Parameters<FactStore['append']>): ReturnType<FactStore['append']> {
    const appended = await store.append(runId, request)
    const { mark }: typeof request.step & Noted = request.step
    if (appended.type !== 'appended') return appended
    if (mark !== undefined) byMark.set(mark, runId)
    // Whoever has ended it, its agent or the hub: nobody goes on with what was kept.
    if (request.step.after.state?.type === 'ended') {
      await journal.clear(runId)
      await checkpoints.delete(runId)
    }
    return appended
  }

  function among({ thread, mark }: RunsQuery): readonly string[] {
    if (mark === undefined) return thread === undefined ? all : (byThread.get(thread) ?? [])
    const marked = byMark.get(mark)
    return marked === undefined ? [] : [marked]
  }

  async function runs(query: RunsQuery): Promise<readonly RunRecord[]> {
    const { waiting, call, before, limit } = query
    const ids = among(query)
    const found: RunRecord[] = []
    const end = before === undefined ? ids.length : ids.lastIndexOf(before)
    for (let index = end - 1; index >= 0 && found.length < limit; index--) {
      const record = await store.load(ids[index] ?? '')
      if (!record || (waiting && record.standing.state?.type !== 'awaiting')) continue
      if (call === undefined || waitsFor(record, call)) found.push(record)
    }
    return found
  }

  return {
    facts: { ...store, create, append },
    journal,
    checkpoints,
    runs,
    close: async () => undefined,
  }
}

function waitsFor({ standing }: RunRecord, call: string): boolean {
  return standing.state?.type === 'awaiting' && standing.openCalls.some(({ id }) => id === call)
}
