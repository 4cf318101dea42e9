/** Which runs there are, the newest first: of a thread, or those that wait for a call. */
import type { RunRecord } from '@factwire/hub'
import type { Database, Statement } from './database.ts'
import { recordOf } from './reading.ts'
import type { RecordRow } from './request.ts'

export interface RunsQuery {
  /** Only runs of this thread. */
  readonly thread?: string
  /** Only runs that wait. */
  readonly waiting?: boolean
  /** Only runs that wait, and have this call open. */
  readonly call?: string
  /** Only runs with a step whose `mark` is this: a string that its writer has put beside what a step has. */
  readonly mark?: string
  /** Only runs that were begun before this one. */
  readonly before?: string
  readonly limit: number
}

export type Listing = (query: RunsQuery) => readonly RunRecord[]

/** The expressions are those of the indexes, to the letter. */
const CONDITIONS = {
  thread: "json_extract(context, '$.threadId') = ?",
  call: `json_extract(standing, '$.state.type') = 'awaiting'
    AND EXISTS (SELECT 1 FROM json_each(standing, '$.openCalls') WHERE json_extract(value, '$.id') = ?)`,
  waiting: "json_extract(standing, '$.state.type') = 'awaiting'",
  mark: 'n IN (SELECT run FROM steps WHERE mark = ?)',
  before: 'n < (SELECT n FROM runs WHERE id = ?)',
} as const

const NAMES = ['thread', 'call', 'mark', 'before'] as const
type Name = (typeof NAMES)[number] | 'waiting'

export function listing(database: Pick<Database, 'prepare'>): Listing {
  const prepared = new Map<string, Statement>()

  function statementFor(names: readonly Name[]): Statement {
    const key = names.join()
    const where = names.length === 0 ? '' : `WHERE ${names.map((name) => CONDITIONS[name]).join(' AND ')}`
    const statement = prepared.get(key) ?? database.prepare(`SELECT * FROM runs ${where} ORDER BY n DESC LIMIT ?`)
    prepared.set(key, statement)
    return statement
  }

  return (query) => {
    const names = NAMES.filter((name) => query[name] !== undefined)
    const rows = statementFor(query.waiting ? [...names, 'waiting'] : names).all(
      ...names.map((name) => query[name]),
      query.limit,
    )
    return (rows as RecordRow[]).map(recordOf)
  }
}
