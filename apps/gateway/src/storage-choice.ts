/** Opens what runs are kept in, as it is configured, and says what that is. */
import { join, resolve } from 'node:path'
import { ConfigError } from './config.ts'
import { makeFolder } from './data-folder.ts'
import type { Config } from './settings.ts'
import { sqliteStorage } from './sqlite-storage.ts'
import { memoryStorage, type Storage } from './storage.ts'
import { ticketFile } from './ticket-file.ts'
import type { TicketMemory } from './tickets.ts'

export interface StorageChoice {
  /** In a few words, for whoever starts the server. */
  readonly told: string
  open(tenant: string): Promise<Storage>
  readonly tickets?: () => Promise<TicketMemory>
}

/** `probe` opens a file that is thrown away, and so says whether there is a SQLite at all. */
export async function storageFrom(
  { store, data }: Pick<Config, 'store' | 'data'>,
  cwd: string,
  probe: () => Promise<unknown> = trySqlite,
): Promise<StorageChoice> {
  if (store === 'memory') return memory('')
  const missing = await probe().then(() => undefined, messageOf)
  if (missing !== undefined) {
    if (store === 'auto')
      return memory(', because better-sqlite3 is not compiled here (node scripts/sqlite.mjs does that)')
    throw new ConfigError(`store: ${missing}`)
  }
  const folder = resolve(cwd, data)
  await inData(folder, async () => makeFolder(folder))
  return {
    told: `in ${folder}, a file for each tenant`,
    open: (tenant) => inData(folder, () => sqliteStorage(join(folder, `${tenant}.db`))),
    tickets: () => inData(folder, () => ticketFile(join(folder, 'tickets'), Date.now())),
  }
}

/** @throws ConfigError that names the key. */
async function inData<Result>(folder: string, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task()
  } catch (error) {
    throw new ConfigError(`data: nothing can be kept in ${folder}: ${messageOf(error)}`)
  }
}

const memory = (why: string): StorageChoice => ({
  told: `in memory, and go with the process${why}`,
  open: async () => memoryStorage(),
})

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function trySqlite(): Promise<void> {
  const { default: Sqlite } = await import('better-sqlite3')
  new Sqlite(':memory:').close()
}
