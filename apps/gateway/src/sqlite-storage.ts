/** What a tenant's runs are kept in, on a disk: facts, journal, checkpoints and the list of runs in one file. */
import { sqliteStore } from '@factwire/sqlite'
import type { Storage } from './storage.ts'

export async function sqliteStorage(file: string): Promise<Storage> {
  const store = await sqliteStore(file)
  return {
    facts: store,
    journal: store.journal,
    checkpoints: store.checkpoints,
    runs: (query) => store.runs(query),
    close: () => store.close(),
  }
}
