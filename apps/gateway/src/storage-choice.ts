/** Opens what runs are kept in, as it is configured, and says what that is. */
import type { Config } from './settings.ts'
import { memoryStorage, type Storage } from './storage.ts'

export interface StorageChoice {
  /** In a few words, for whoever starts the server. */
  readonly told: string
  open(tenant: string): Promise<Storage>
}

export async function storageFrom(_config: Config, _cwd: string): Promise<StorageChoice> {
  return { told: 'in memory: they go with the process', open: async () => memoryStorage() }
}
