/** Of every fact store: one producer at a time, and a late one is refused. */
import type { FactStore } from '../store.ts'
import { demandEqual, type PortCase } from './port-case.ts'
import { append, AWAITING, claim, ENDED, run, step } from './store-steps.ts'

export const leaseCases: readonly PortCase<FactStore>[] = [
  {
    name: 'a lease is taken when it has run out, under the next epoch',
    async run(store) {
      await store.create(run('lease'), claim('a', 0, 100), 8)
      const early = await store.acquire('lease', claim('b', 99, 200))
      demandEqual(early, { type: 'refused', lease: { owner: 'a', epoch: 1, until: 100 } }, 'too early')
      const taken = await store.acquire('lease', claim('b', 100, 200))
      demandEqual(taken.type === 'held' && taken.record.lease, { owner: 'b', epoch: 2, until: 200 }, 'in time')
    },
  },
  {
    name: 'times may be fractions of a millisecond, and no lease is over before its time',
    async run(store) {
      await store.create(run('fractions'), claim('a', 0.25, 100.5), 8)
      demandEqual((await store.acquire('fractions', claim('b', 100.25, 200.5))).type, 'refused', 'too early')
      demandEqual(await store.renew('fractions', 1, 150.75), true, 'renewed')
      demandEqual((await store.acquire('fractions', claim('b', 150.5, 250.5))).type, 'refused', 'still too early')
      demandEqual((await store.acquire('fractions', claim('b', 152.5, 252.5))).type, 'held', 'in time')
      const lost = await store.abandoned(254.5, 1000)
      demandEqual(lost.includes('fractions'), true, 'abandoned')
    },
  },
  {
    name: 'of two who take a lease at once one has it',
    async run(store) {
      await store.create(run('race'), claim('a', 0, 100), 8)
      const both = await Promise.all([
        store.acquire('race', claim('b', 100, 200)),
        store.acquire('race', claim('c', 100, 200)),
      ])
      demandEqual(both.map(({ type }) => type).toSorted(), ['held', 'refused'], 'acquired')
    },
  },
  {
    name: 'a producer whose lease was taken can neither append nor reserve nor renew',
    async run(store) {
      await store.create(run('fence'), claim('a', 0, 100), 8)
      await append(store, 'fence', 0, step(0, 1))
      await store.acquire('fence', claim('b', 100, 200))
      demandEqual(await append(store, 'fence', 1, step(1, 1)), { type: 'fenced', epoch: 2 }, 'appended')
      demandEqual(await store.reserve('fence', 1, 99), false, 'reserved')
      demandEqual(await store.renew('fence', 1, 999), false, 'renewed')
      await store.release('fence', 1, 0)
      const record = await store.load('fence')
      demandEqual([record?.reserved, record?.lease.until, record?.revision], [8, 200, 1], 'what is left')
    },
  },
  {
    name: 'an epoch is looked at before a revision',
    async run(store) {
      await store.create(run('order'), claim('a', 0, 100), 8)
      await store.acquire('order', claim('b', 100, 200))
      demandEqual((await append(store, 'order', 9, step(0, 1))).type, 'fenced', 'both wrong')
    },
  },
  {
    name: 'a lease that ran out and was not taken is still its holder’s',
    async run(store) {
      await store.create(run('slow'), claim('a', 0, 100), 8)
      demandEqual((await append(store, 'slow', 0, step(0, 1))).type, 'appended', 'appended late')
      demandEqual(await store.renew('slow', 1, 500), true, 'renewed late')
      demandEqual((await store.acquire('slow', claim('b', 499, 600))).type, 'refused', 'acquired')
    },
  },
  {
    name: 'a renewal that comes late, behind another or behind the end of the lease, changes nothing',
    async run(store) {
      await store.create(run('late'), claim('a', 0, 100), 8)
      demandEqual(await store.renew('late', 1, 500), true, 'renewed')
      demandEqual(await store.renew('late', 1, 200), true, 'renewed for less')
      demandEqual((await store.load('late'))?.lease.until, 500, 'the lease')
      await store.release('late', 1, 2)
      demandEqual(await store.renew('late', 1, 900), true, 'renewed what was given back')
      demandEqual((await store.acquire('late', claim('b', 1, 200))).type, 'held', 'acquired')
    },
  },
  {
    name: 'a lease that was given back is anybody’s',
    async run(store) {
      await store.create(run('back'), claim('a', 0, 100), 8)
      await store.release('back', 1, 2)
      const taken = await store.acquire('back', claim('b', 1, 200))
      demandEqual(taken.type === 'held' && [taken.record.lease.epoch, taken.record.reserved], [2, 2], 'acquired')
    },
  },
  {
    name: 'a step can give the lease back',
    async run(store) {
      await store.create(run('last'), claim('a', 0, 100), 8)
      await append(store, 'last', 0, step(0, 1, AWAITING), { release: true })
      demandEqual((await store.acquire('last', claim('b', 1, 200))).type, 'held', 'acquired')
    },
  },
  {
    name: 'abandoned are runs whose lease has run out, unless they wait or have ended',
    async run(store) {
      // Far from what other cases leave behind.
      const [now, then] = [1e12, 1e12 + 100]
      await store.create(run('gone, no step'), claim('a', now, then), 8)
      await store.create(run('gone'), claim('a', now, then), 8)
      await append(store, 'gone', 0, step(0, 1))
      await store.create(run('waits'), claim('a', now, then), 8)
      await append(store, 'waits', 0, step(0, 1, AWAITING))
      await store.create(run('ended'), claim('a', now, then), 8)
      await append(store, 'ended', 0, step(0, 1, ENDED))
      await store.create(run('lives'), claim('a', now, then + 1), 8)
      const own = new Set(['gone, no step', 'gone', 'waits', 'ended', 'lives'])
      const lost = async (at: number): Promise<string[]> =>
        (await store.abandoned(at, 1000)).filter((runId) => own.has(runId)).toSorted()
      demandEqual(await lost(then - 1), [], 'before')
      demandEqual(await lost(then), ['gone', 'gone, no step'], 'then')
      demandEqual((await store.abandoned(then, 1)).length, 1, 'no more than asked for')
    },
  },
]
