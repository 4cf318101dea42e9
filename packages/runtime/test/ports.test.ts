import { expect, test } from 'vitest'
import { type Journal, memoryCheckpoints, memoryJournal, type StreamCheckpointStore } from '../src/index.ts'
import { checkpointCases, journalCases } from '../src/testing.ts'

const journal = memoryJournal()
test.each(journalCases)('the journal in memory: $name', async ({ run }) => {
  await expect(run(journal)).resolves.toBeUndefined()
})

const checkpoints = memoryCheckpoints()
test.each(checkpointCases)('the checkpoints in memory: $name', async ({ run }) => {
  await expect(run(checkpoints)).resolves.toBeUndefined()
})

/** Each is a fault that some journal could have. */
const faultyJournals: Readonly<Record<string, (good: Journal) => Partial<Journal>>> = {
  'gives notes the other way round': ({ read }) => ({ read: async (runId) => (await read(runId)).toReversed() }),
  'takes a note once': ({ add, read }) => ({
    async add(runId, notes) {
      const had = new Set((await read(runId)).map((note) => JSON.stringify(note)))
      await add(
        runId,
        notes.filter((note) => !had.has(JSON.stringify(note))),
      )
    },
  }),
  'keeps notes one by one': ({ add }) => ({
    async add(runId, notes) {
      for (const note of notes) {
        await add(runId, [note])
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }),
  'keeps a note after it has said so': ({ add }) => ({
    add: async (runId, notes) => void setImmediate(() => void add(runId, notes)),
  }),
  'keeps what its caller holds': ({ read }) => {
    const kept = new Map<string, Parameters<Journal['add']>[1]>()
    return {
      add: async (runId, notes) => void kept.set(runId, notes),
      read: async (runId) => kept.get(runId) ?? read(runId),
    }
  },
  'lets everybody claim': () => ({ claim: async () => true }),
  'looks before it claims': ({ claim }) => {
    const claimed = new Set<string>()
    return {
      async claim(runId, callId) {
        const isFirst = !claimed.has(`${runId} ${callId}`)
        await new Promise((resolve) => setImmediate(resolve))
        claimed.add(`${runId} ${callId}`)
        await claim(runId, callId)
        return isFirst
      },
    }
  },
  'claims a call of any run': ({ claim }) => ({ claim: (_runId, callId) => claim('all', callId) }),
  'ends ids where a C string ends': ({ claim }) => ({
    claim: (runId, callId) => claim(runId, callId.split('\0')[0] ?? ''),
  }),
  'compares ids without their case': ({ claim }) => ({ claim: (runId, callId) => claim(runId, callId.toLowerCase()) }),
  'notes its claims': ({ claim, add }) => ({
    async claim(runId, callId) {
      await add(runId, [{ type: 'resumed' }])
      return claim(runId, callId)
    },
  }),
  'clears nothing': () => ({ clear: async () => undefined }),
  'clears notes alone': () => ({ claim: memoryJournal().claim }),
  'cannot clear what is not there': ({ clear, read }) => ({
    async clear(runId) {
      if ((await read(runId)).length === 0) throw new Error('nothing there')
      await clear(runId)
    },
  }),
}

test.each(Object.entries(faultyJournals))('the suite notices a journal that %s', async (_name, fault) => {
  const good = memoryJournal()
  const bad = { ...good, ...fault(good) }
  const outcomes = await Promise.allSettled(journalCases.map(({ run }) => run(bad)))
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
})

const faultyCheckpoints: Readonly<Record<string, (good: StreamCheckpointStore) => Partial<StreamCheckpointStore>>> = {
  'keeps the first': ({ get, put }) => ({
    put: async (checkpoint) => void ((await get(checkpoint.run_id)) ?? (await put(checkpoint))),
  }),
  'has one place': ({ get }) => ({ get: () => get('place') }),
  'loses what is null': ({ put }) => ({
    put: ({ after, ...rest }) => put({ ...rest, after: after ?? '' }),
  }),
  'deletes nothing': () => ({ delete: async () => undefined }),
  'puts in any order': ({ put }) => ({
    async put(checkpoint) {
      const turns = checkpoint.partial_text === 'one' ? 2 : 0
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      await put(checkpoint)
    },
  }),
}

test.each(Object.entries(faultyCheckpoints))('the suite notices checkpoints that %s', async (_name, fault) => {
  const good = memoryCheckpoints()
  const bad = { ...good, ...fault(good) }
  const outcomes = await Promise.allSettled(checkpointCases.map(({ run }) => run(bad)))
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
})
