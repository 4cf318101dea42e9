/** The facts of runs in one SQLite file, and what their loop keeps beside them. */
export type { AnswerCheckpoint, JournalNote, SqliteCheckpoints, SqliteJournal } from './kept.ts'
export type { RunsQuery } from './listing.ts'
export type { SqliteStore } from './store.ts'
export { sqliteStore } from './store.ts'
