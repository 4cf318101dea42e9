/** A fact store in one file. */
import type { Claim, FactStore, RunRecord } from '@factwire/hub'
import { type Database, openDatabase, storeFailed, toRead } from './database.ts'
import { checkpoints, journal } from './journal.ts'
import type { SqliteCheckpoints, SqliteJournal } from './kept.ts'
import { type Listing, listing, type RunsQuery } from './listing.ts'
import { type Reading, type StepBody, reading, recordOf } from './reading.ts'
import { startWriting } from './writing.ts'

export interface SqliteStore extends FactStore {
  /** For `journal` of an agent. */
  readonly journal: SqliteJournal
  /** For `checkpoints` of an agent. */
  readonly checkpoints: SqliteCheckpoints
  /** Which runs there are, the newest first, without their histories. */
  runs(query: RunsQuery): Promise<readonly RunRecord[]>
  /** Copies the file as it is at one moment, while runs go on. */
  backup(to: string): Promise<void>
  /** Settles when all that was asked is on the disk and the file is free for another process. */
  close(): Promise<void>
}

/**
 * Opens a file, or makes it. One process at a time has it.
 *
 * @throws FactwireError `store_failed`, with who holds the file; TypeError for a name that SQLite has for no file, such as `:memory:`.
 */
export async function sqliteStore(file: string): Promise<SqliteStore> {
  // SQLite takes these names for databases that are in no file, where no second connection could read.
  if (['', ':memory:'].includes(file.trim()))
    throw new TypeError(`a store is in a file, and '${file}' names none: use memoryStore() of @factwire/hub`)
  const writing = await startWriting(file)
  const { ask, close } = writing
  const { database, read, list } = await openToRead(file).catch(async (error: unknown) => {
    await close()
    throw error
  })

  return {
    journal: journal(writing, read),
    checkpoints: checkpoints(writing, read),
    async create(run, claim, reserve) {
      const { history, ...rest } = run
      const { created, row } = await ask({
        type: 'create',
        runId: run.runId,
        context: JSON.stringify(rest),
        history: history && JSON.stringify(history),
        claim: whole(claim),
        reserve,
      })
      return { created, record: recordOf(row) }
    },
    async acquire(runId, claim) {
      const answer = await ask({ type: 'acquire', runId, claim: whole(claim) })
      return answer.type === 'held' ? { type: 'held', record: recordOf(answer.row) } : answer
    },
    renew: (runId, epoch, until) => ask({ type: 'renew', runId, epoch, until: Math.ceil(until) }),
    async release(runId, epoch, next) {
      await ask({ type: 'release', runId, epoch, next })
    },
    reserve: (runId, epoch, upTo) => ask({ type: 'reserve', runId, epoch, upTo }),
    append(runId, { step, ...rest }) {
      const { facts, ...body } = step
      const kept: StepBody = body
      const { mark }: MarkedStep = step
      const { state } = step.after
      return ask({
        type: 'append',
        runId,
        ...rest,
        step: {
          body: JSON.stringify(kept),
          standing: JSON.stringify(step.after),
          mark,
          facts: facts.map(({ seq, fact }) => ({ seq, body: JSON.stringify(fact) })),
          finished: state !== undefined && state.type !== 'running',
          ended: state?.type === 'ended',
        },
      })
    },
    load: async (runId) => read.load(runId),
    facts: async (runId, after, limit) => read.facts(runId, after, limit),
    steps: async (runId, after, limit) => read.steps(runId, after, limit),
    abandoned: async (now, limit) => read.abandoned(now, limit),
    runs: async (query) => list(query),
    async backup(to) {
      try {
        await database.backup(to)
      } catch (error) {
        throw storeFailed(error)
      }
    },
    async close() {
      database.close()
      await close()
    },
  }
}

/** A step by which a run is to be found. */
type MarkedStep = Parameters<FactStore['append']>[1]['step'] & { readonly mark?: string }

/** The file has whole milliseconds, and a lease is never over too early. */
const whole = (claim: Claim): Claim => ({ ...claim, until: Math.ceil(claim.until) })

interface Opened {
  readonly database: Database
  readonly read: Reading
  readonly list: Listing
}

async function openToRead(file: string): Promise<Opened> {
  const database = await openDatabase(file, { readonly: true, timeout: 5000 })
  const connection = toRead(database)
  return { database, read: reading(connection), list: listing(connection) }
}
