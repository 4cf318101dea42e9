/** The tables of notes, claims and checkpoints, as the one connection that writes has them. */
import type { Database } from './database.ts'
import type { JournalRequest } from './request.ts'

export interface JournalWriter {
  /** Whether it changed anything: for a claim, whether it is the first. */
  answer(request: JournalRequest): boolean
  /** The run has ended: nobody goes on with what it kept. */
  forget(runId: string): void
}

export function journalWriter(database: Database): JournalWriter {
  const note = database.prepare('INSERT INTO notes (run, body) VALUES (?, ?)')
  const claim = database.prepare('INSERT INTO claims (run, call) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const put = database.prepare(
    'INSERT INTO checkpoints (run, body) VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET body = excluded.body',
  )
  const dropNotes = database.prepare('DELETE FROM notes WHERE run = ?')
  const dropClaims = database.prepare('DELETE FROM claims WHERE run = ?')
  const dropCheckpoint = database.prepare('DELETE FROM checkpoints WHERE run = ?')

  return {
    answer(request) {
      const { runId } = request
      switch (request.type) {
        case 'note':
          for (const body of request.bodies) note.run(runId, body)
          return true
        case 'claim':
          return claim.run(runId, request.callId).changes > 0
        case 'clear':
          return dropNotes.run(runId).changes + dropClaims.run(runId).changes > 0
        case 'checkpoint':
          return (request.body === undefined ? dropCheckpoint.run(runId) : put.run(runId, request.body)).changes > 0
        default:
          return request satisfies never
      }
    },
    forget(runId) {
      for (const statement of [dropNotes, dropClaims, dropCheckpoint]) statement.run(runId)
    },
  }
}
