import type { Journal, Note, StreamCheckpoint, StreamCheckpointStore } from '@factwire/runtime'
import { expectTypeOf, test } from 'vitest'
import type { AnswerCheckpoint, JournalNote, SqliteCheckpoints, SqliteJournal } from '../src/index.ts'

test('a store is the journal and the checkpoints of an agent', () => {
  expectTypeOf<SqliteJournal>().toExtend<Journal>()
  expectTypeOf<SqliteCheckpoints>().toExtend<StreamCheckpointStore>()
})

test('the types that stand in both packages are the same', () => {
  expectTypeOf<JournalNote>().toEqualTypeOf<Note>()
  expectTypeOf<AnswerCheckpoint>().toEqualTypeOf<StreamCheckpoint>()
})
