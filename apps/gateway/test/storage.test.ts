import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHub } from '@factwire/hub'
import { saidIn } from '@factwire/runtime'
import { expect, onTestFinished, test } from 'vitest'
import { memoryStorage, type Storage } from '../src/index.ts'
import { sqliteStorage } from '../src/sqlite-storage.ts'

async function stored(where: string): Promise<Storage> {
  if (where === 'memory') return memoryStorage()
  const folder = mkdtempSync(join(tmpdir(), 'storage-'))
  const storage = await sqliteStorage(join(folder, 'runs.db'))
  onTestFinished(async () => {
    await storage.close()
    rmSync(folder, { recursive: true })
  })
  return storage
}

test.each(['memory', 'a file'])(
  'in %s nothing stays of what was kept for a run that the hub has ended',
  async (where) => {
    const storage = await stored(where)
    const { facts, journal, checkpoints } = storage
    const hub = createHub({ store: facts, owner: 'test', said: saidIn(journal) })
    onTestFinished(() => hub.close())
    const producer = await hub.produce({ threadId: 't', runId: 'r' })
    await producer.commit({ messages: [], state: { type: 'awaiting' }, pending: [] })
    const message = { id: 'u', role: 'user', content: [{ type: 'text', text: 'and?' }] } as const
    await journal.add('r', [{ type: 'said', message }])
    expect(await journal.claim('r', 'c')).toBe(true)
    expect(await hub.ask('r', { type: 'cancelled' })).toBe(true)
    expect((await facts.load('r'))?.standing.state?.type).toBe('ended')
    expect((await facts.steps('r', 0, 10)).flatMap(({ commit }) => commit.messages)).toEqual([message])
    expect([await journal.read('r'), await checkpoints.get('r')]).toEqual([[], undefined])
    // The claims went with the notes.
    expect(await journal.claim('r', 'c')).toBe(true)
  },
)
