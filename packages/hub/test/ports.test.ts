import { expect, test } from 'vitest'
import { type FactStore, memoryBus, memoryStore } from '../src/index.ts'
import { busCases, storeCases } from '../src/testing.ts'

const store = memoryStore()
test.each(storeCases)('the store in memory: $name', async ({ run }) => {
  await expect(run(store)).resolves.toBeUndefined()
})

test.each(busCases)('the bus in memory: $name', async ({ run }) => {
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  await expect(run({ bus: memoryBus(), settle })).resolves.toBeUndefined()
})

/** Each is a fault that some store could have. */
const faulty: Readonly<Record<string, (store: FactStore) => Partial<FactStore>>> = {
  'forgets the last of a commit': ({ facts }) => ({
    facts: async (...args) => (await facts(...args)).map((fact) => ({ ...fact, last: true })),
  }),
  'gives one fact too many': ({ facts }) => ({ facts: (runId, after, limit) => facts(runId, after, limit + 1) }),
  'begins with the fact that was seen': ({ facts }) => ({
    facts: (runId, after, limit) => facts(runId, after - 1, limit),
  }),
  'takes any revision': ({ append, load }) => ({
    append: async (runId, given) => append(runId, { ...given, revision: (await load(runId))?.revision ?? 0 }),
  }),
  'takes any epoch': ({ append, load }) => ({
    append: async (runId, given) => append(runId, { ...given, epoch: (await load(runId))?.lease.epoch ?? 0 }),
  }),
  'knows no keys': ({ append }) => {
    let count = 0
    return { append: (runId, given) => append(runId, { ...given, key: `${count++}` }) }
  },
  'gives leases away too early': ({ acquire }) => ({
    acquire: (runId, claim) => acquire(runId, { ...claim, now: claim.now + 1 }),
  }),
  'never gives a lease back': () => ({ release: async () => undefined }),
  'renews for anybody': () => ({ renew: async () => true }),
  'reserves nothing': () => ({ reserve: async () => true }),
  'finds no run abandoned': () => ({ abandoned: async () => [] }),
}

test.each(Object.entries(faulty))('the suite notices a store that %s', async (_name, fault) => {
  const good = memoryStore()
  const bad = { ...good, ...fault(good) }
  const outcomes = await Promise.allSettled(storeCases.map(({ run }) => run(bad)))
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
})
