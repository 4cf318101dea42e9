/** The one connection that writes: many requests in one transaction, each by itself all or nothing. */
import type { Claim } from '@factwire/hub'
import type { Database, Statement } from './database.ts'
import { journalWriter } from './journal-writer.ts'
import {
  type Answered,
  type Asked,
  type RecordRow,
  type StepRow,
  type WriteAnswer,
  type WriteRequest,
  leaseOf,
  WITH_HISTORY,
} from './request.ts'

export interface Writer {
  /** One group: it is on the disk before the answers are given. @throws what the commit throws; then nothing of it is. */
  write(group: readonly Asked[]): readonly Answered[]
}

interface Row extends RecordRow {
  readonly n: number
}

type AppendRequest = Extract<WriteRequest, { readonly type: 'append' }>

export function writer(database: Database): Writer {
  const find = database.prepare('SELECT * FROM runs WHERE id = ?')
  const findWhole = database.prepare(WITH_HISTORY)
  const insertRun = database.prepare(
    `INSERT INTO runs (id, context, revision, reserved, last_fact, standing, finished, owner, epoch, until)
     VALUES (?, ?, 0, ?, -1, '{"openCalls":[]}', 0, ?, 1, ?) ON CONFLICT (id) DO NOTHING`,
  )
  const insertHistory = database.prepare('INSERT INTO histories (run, body) SELECT n, ? FROM runs WHERE id = ?')
  const take = database.prepare('UPDATE runs SET owner = ?, epoch = epoch + 1, until = ? WHERE n = ?')
  const renew = database.prepare(
    'UPDATE runs SET until = CASE until WHEN 0 THEN 0 ELSE max(until, ?) END WHERE id = ? AND epoch = ?',
  )
  const release = database.prepare('UPDATE runs SET until = 0, reserved = ? WHERE id = ? AND epoch = ?')
  const reserve = database.prepare('UPDATE runs SET reserved = max(reserved, ?) WHERE id = ? AND epoch = ?')
  const findKey = database.prepare('SELECT revision, first FROM steps WHERE run = ? AND key = ?')
  const insertStep = database.prepare(
    'INSERT INTO steps (run, revision, key, first, body, mark) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const insertFact = database.prepare('INSERT INTO facts (run, seq, revision, last, body) VALUES (?, ?, ?, ?, ?)')
  const moveOn = database.prepare(
    `UPDATE runs SET revision = ?, last_fact = ?, standing = ?, finished = ?,
       reserved = CASE WHEN ? THEN ? ELSE max(reserved, ?) END, until = CASE WHEN ? THEN 0 ELSE until END
     WHERE n = ?`,
  )

  const savepoint = database.prepare('SAVEPOINT request')
  const keep = database.prepare('RELEASE request')
  const undo = database.prepare('ROLLBACK TO request')

  const kept = journalWriter(database)

  const rowOf = (runId: string): Row | undefined => asRow(find.get(runId))
  const wholeRowOf = (runId: string): Row | undefined => asRow(findWhole.get(runId))

  function acquire(runId: string, { owner, now, until }: Claim): WriteAnswer {
    const row = wholeRowOf(runId)
    if (!row) return { type: 'unknown' }
    if (row.until > now) return { type: 'refused', lease: leaseOf(row) }
    take.run(owner, until, row.n)
    return { type: 'held', row: { ...row, owner, until, epoch: row.epoch + 1 } }
  }

  function append({ runId, epoch, revision, key, reserve: mark, release: over, step }: AppendRequest): WriteAnswer {
    const row = rowOf(runId)
    if (!row) throw new Error(`there is no run ${runId}: create it first`)
    const same = findKey.get(row.n, key) as { revision: number; first: number | null } | undefined
    if (same) return { type: 'repeated', revision: same.revision, first: same.first ?? undefined }
    if (row.epoch !== epoch) return { type: 'fenced', epoch: row.epoch }
    if (row.revision !== revision) return { type: 'conflict', revision: row.revision }
    addStep(row, revision + 1, key, step)
    const lastFact = step.facts.at(-1)?.seq ?? row.last_fact
    const flag = over ? 1 : 0
    moveOn.run(revision + 1, lastFact, step.standing, step.finished ? 1 : 0, flag, mark, mark, flag, row.n)
    if (step.ended) kept.forget(runId)
    return { type: 'appended', revision: revision + 1 }
  }

  function addStep({ n }: Row, revision: number, key: string, { body, mark, facts }: StepRow): void {
    insertStep.run(n, revision, key, facts[0]?.seq ?? null, body, mark ?? null)
    for (const [index, fact] of facts.entries()) {
      insertFact.run(n, fact.seq, revision, index === facts.length - 1 ? 1 : 0, fact.body)
    }
  }

  function answer(request: WriteRequest): WriteAnswer {
    switch (request.type) {
      case 'create': {
        const { runId, context, history, claim, reserve: mark } = request
        const created = insertRun.run(runId, context, mark, claim.owner, claim.until).changes > 0
        if (created && history !== undefined) insertHistory.run(history, runId)
        const row = wholeRowOf(runId)
        if (!row) throw new Error(`${runId} was not created`)
        return { created, row }
      }
      case 'acquire':
        return acquire(request.runId, request.claim)
      case 'renew':
        return changes(renew, request.until, request.runId, request.epoch)
      case 'release':
        return changes(release, request.next, request.runId, request.epoch)
      case 'reserve':
        return changes(reserve, request.upTo, request.runId, request.epoch)
      case 'append':
        return append(request)
      case 'note':
      case 'claim':
      case 'clear':
      case 'checkpoint':
        return kept.answer(request)
      default:
        return request satisfies never
    }
  }

  function attempt({ id, request }: Asked): Answered {
    savepoint.run()
    try {
      const given = answer(request)
      keep.run()
      return { id, answer: given }
    } catch (error) {
      undo.run()
      keep.run()
      return { id, error: String(error) }
    }
  }

  return {
    write(group) {
      database.exec('BEGIN IMMEDIATE')
      try {
        const answers = group.map(attempt)
        database.exec('COMMIT')
        return answers
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  }
}

const changes = (statement: Statement, ...values: readonly unknown[]): boolean => statement.run(...values).changes > 0

/** The columns are those of the schema. */
const asRow = (row: unknown): Row | undefined => row as Row | undefined
