/**
 * The tables, and how a file of an earlier version becomes one of this. Runs have a short number of their own, because their ids
 * stand in every row.
 */
import type { Database } from './database.ts'

/** Each brings a file from its place in this list to the next. Those that were released never change. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE runs (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    context TEXT NOT NULL,
    revision INTEGER NOT NULL,
    reserved INTEGER NOT NULL,
    last_fact INTEGER NOT NULL,
    standing TEXT NOT NULL,
    finished INTEGER NOT NULL,
    owner TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    until INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX unfinished ON runs (until) WHERE finished = 0;
  CREATE TABLE steps (
    run INTEGER NOT NULL REFERENCES runs (n),
    revision INTEGER NOT NULL,
    key TEXT NOT NULL,
    first INTEGER,
    body TEXT NOT NULL,
    PRIMARY KEY (run, revision),
    UNIQUE (run, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE facts (
    run INTEGER NOT NULL REFERENCES runs (n),
    seq INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    last INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX facts_of_step ON facts (run, revision);
  `,
  // By the ids of runs: these may be of runs whose facts are kept elsewhere, and are few, because they go when their run ends.
  `
  CREATE TABLE notes (
    n INTEGER PRIMARY KEY,
    run TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX notes_of_run ON notes (run);
  CREATE TABLE claims (
    run TEXT NOT NULL,
    call TEXT NOT NULL,
    PRIMARY KEY (run, call)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE checkpoints (
    run TEXT PRIMARY KEY,
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // For who asks which runs there are.
  `
  CREATE INDEX runs_of_thread ON runs (json_extract(context, '$.threadId'));
  CREATE INDEX waiting ON runs (n) WHERE json_extract(standing, '$.state.type') = 'awaiting';
  `,
  // Apart, because a row of runs is written with each step, and read for each list.
  `
  CREATE TABLE histories (
    run INTEGER PRIMARY KEY REFERENCES runs (n),
    body TEXT NOT NULL
  ) STRICT;
  `,
  // For who asks which run has a step that its writer knows by a mark.
  `
  ALTER TABLE steps ADD COLUMN mark TEXT;
  CREATE INDEX marked ON steps (mark) WHERE mark IS NOT NULL;
  `,
]

/** @throws Error when the file was written by a later version. */
export function migrate(database: Database, migrations: readonly string[] = MIGRATIONS): void {
  const version = Number(database.pragma('user_version', { simple: true }))
  if (version > migrations.length) {
    throw new Error(
      `the file has version ${version} and this package knows ${migrations.length}: update @factwire/sqlite`,
    )
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue
    database.exec('BEGIN IMMEDIATE')
    try {
      database.exec(sql)
      database.pragma(`user_version = ${index + 1}`)
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
}
