/** The facts of runs in one SQLite file. */
export type { SqliteStore } from './store.ts'
export { sqliteStore } from './store.ts'
