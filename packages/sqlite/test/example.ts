import { randomUUID } from 'node:crypto'
import { createHub, type Hub } from '@factwire/hub'
import { sqliteStore } from '@factwire/sqlite'

export interface Kept {
  readonly hub: Hub
  close(): Promise<void>
}

/** A hub whose runs are there again after a restart. */
export async function open(file: string): Promise<Kept> {
  const store = await sqliteStore(file)
  const hub = createHub({ store, owner: randomUUID() })
  return {
    hub,
    async close() {
      // In this order: what is being stored is stored, and the file is free.
      await hub.close()
      await store.close()
    },
  }
}
