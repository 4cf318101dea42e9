/** What is read, by a connection of its own: it sees what is on the disk, and never waits for the writer. */
import type { RunContext, Standing } from '@factwire/core'
import type { NumberedFact, RunRecord, Step, StoredFact, StoredStep } from '@factwire/hub'
import type { Database } from './database.ts'
import type { AnswerCheckpoint, JournalNote } from './kept.ts'
import { type RecordRow, leaseOf, WITH_HISTORY } from './request.ts'

export interface Reading {
  load(runId: string): RunRecord | undefined
  facts(runId: string, after: number, limit: number): readonly StoredFact[]
  steps(runId: string, after: number, limit: number): readonly StoredStep[]
  abandoned(now: number, limit: number): readonly string[]
  notes(runId: string): readonly JournalNote[]
  checkpoint(runId: string): AnswerCheckpoint | undefined
}

/** What a step's row holds beside its facts. */
export type StepBody = Omit<Step, 'facts'>

export function reading(database: Pick<Database, 'prepare'>): Reading {
  const find = database.prepare(WITH_HISTORY)
  const facts = database.prepare(
    `SELECT seq, last, body FROM facts
     WHERE run = (SELECT n FROM runs WHERE id = ?) AND seq > ? ORDER BY seq LIMIT ?`,
  )
  const steps = database.prepare(
    `SELECT run, revision, key, body FROM steps
     WHERE run = (SELECT n FROM runs WHERE id = ?) AND revision > ? ORDER BY revision LIMIT ?`,
  )
  const factsOf = database.prepare('SELECT seq, body FROM facts WHERE run = ? AND revision = ? ORDER BY seq')
  const abandoned = database.prepare('SELECT id FROM runs WHERE finished = 0 AND until <= ? ORDER BY until LIMIT ?')
  const notes = database.prepare('SELECT body FROM notes WHERE run = ? ORDER BY n')
  const checkpoint = database.prepare('SELECT body FROM checkpoints WHERE run = ?')

  function stepOf({ run, revision, key, body }: StepRow): StoredStep {
    const own = factsOf.all(run, revision) as FactRow[]
    const told: readonly NumberedFact[] = own.map((row) => ({
      seq: row.seq,
      fact: JSON.parse(row.body) as NumberedFact['fact'],
    }))
    return { ...(JSON.parse(body) as StepBody), facts: told, revision, key }
  }

  return {
    load(runId) {
      const row = find.get(runId) as RecordRow | undefined
      return row && recordOf(row)
    },
    facts: (runId, after, limit) =>
      (facts.all(runId, after, limit) as FactRow[]).map(({ seq, last, body }) => ({
        seq,
        fact: JSON.parse(body) as StoredFact['fact'],
        last: last === 1,
      })),
    steps: (runId, after, limit) => (steps.all(runId, after, limit) as StepRow[]).map(stepOf),
    abandoned: (now, limit) => (abandoned.all(now, limit) as { readonly id: string }[]).map(({ id }) => id),
    notes: (runId) => (notes.all(runId) as BodyRow[]).map(({ body }) => JSON.parse(body) as JournalNote),
    checkpoint(runId) {
      const row = checkpoint.get(runId) as BodyRow | undefined
      return row && (JSON.parse(row.body) as AnswerCheckpoint)
    },
  }
}

interface BodyRow {
  readonly body: string
}

interface FactRow {
  readonly seq: number
  readonly last?: number
  readonly body: string
}

interface StepRow {
  readonly run: number
  readonly revision: number
  readonly key: string
  readonly body: string
}

export function recordOf(row: RecordRow): RunRecord {
  const run = JSON.parse(row.context) as RunContext
  const history = row.history ?? undefined
  return {
    run: history === undefined ? run : { ...run, history: JSON.parse(history) as NonNullable<RunContext['history']> },
    revision: row.revision,
    reserved: row.reserved,
    lastFact: row.last_fact,
    standing: JSON.parse(row.standing) as Standing,
    lease: leaseOf(row),
  }
}
