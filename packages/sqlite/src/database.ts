/** What is used of better-sqlite3, and how a file is opened with it. */
import { FactwireError } from '@factwire/core'

export interface Statement {
  run(...values: readonly unknown[]): { readonly changes: number }
  get(...values: readonly unknown[]): unknown
  all(...values: readonly unknown[]): unknown[]
}

export interface Database {
  prepare(sql: string): Statement
  exec(sql: string): unknown
  pragma(sql: string, options?: { readonly simple?: boolean }): unknown
  backup(to: string): Promise<unknown>
  close(): unknown
}

export interface OpenOptions {
  readonly readonly?: boolean
  /** Milliseconds to wait for a lock. */
  readonly timeout?: number
}

/** @throws Error that says how to get what is missing. */
export async function openDatabase(file: string, options: OpenOptions = {}): Promise<Database> {
  try {
    const { default: Sqlite } = await import('better-sqlite3')
    return new Sqlite(file, options)
  } catch (error) {
    const isMissing = /Cannot find|Could not locate|bindings/.test(String(error))
    if (!isMissing) throw error
    throw new Error('better-sqlite3 is not installed, or was not compiled: install it with its build script allowed', {
      cause: error,
    })
  }
}

/** The same connection for reading: what goes wrong, also because it is closed, is said as a failure of the store. */
export function toRead(database: Database): Pick<Database, 'prepare'> {
  return {
    prepare(sql) {
      const statement = told(() => database.prepare(sql))
      return {
        run: (...values) => statement.run(...values),
        get: (...values) => told(() => statement.get(...values)),
        all: (...values) => told(() => statement.all(...values)),
      }
    },
  }
}

function told<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw storeFailed(error)
  }
}

export const storeFailed = (cause: unknown): FactwireError =>
  new FactwireError('store_failed', cause instanceof Error ? cause.message : String(cause), { cause })

/** For the one connection that writes: what is acknowledged survives a power cut. */
export function prepareToWrite(database: Database): void {
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  database.pragma('trusted_schema = OFF')
}
