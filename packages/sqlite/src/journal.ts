/** A journal and checkpoints in the file of the facts: written by the same worker, in the same groups. */
import type { SqliteCheckpoints, SqliteJournal } from './kept.ts'
import type { Reading } from './reading.ts'
import type { Writing } from './writing.ts'

export function journal({ ask }: Writing, read: Reading): SqliteJournal {
  return {
    read: async (runId) => read.notes(runId),
    async add(runId, notes) {
      if (notes.length > 0) await ask({ type: 'note', runId, bodies: notes.map((note) => JSON.stringify(note)) })
    },
    claim: (runId, callId) => ask({ type: 'claim', runId, callId }),
    async clear(runId) {
      await ask({ type: 'clear', runId })
    },
  }
}

export function checkpoints({ ask }: Writing, read: Reading): SqliteCheckpoints {
  return {
    async put(checkpoint) {
      await ask({ type: 'checkpoint', runId: checkpoint.run_id, body: JSON.stringify(checkpoint) })
    },
    get: async (runId) => read.checkpoint(runId),
    async delete(runId) {
      await ask({ type: 'checkpoint', runId, body: undefined })
    },
  }
}
