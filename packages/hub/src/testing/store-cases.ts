/** What every fact store has to do. Each case begins runs of its own, so that a store may be shared by all. */
import type { FactStore } from '../store.ts'
import { demandEqual, type PortCase } from './port-case.ts'
import { leaseCases } from './store-lease-cases.ts'
import { append, claim, ENDED, run, step } from './store-steps.ts'

export const storeCases: readonly PortCase<FactStore>[] = [
  {
    name: 'a new run has no steps, its first numbers, and a lease of epoch 1',
    async run(store) {
      const { created, record } = await store.create(run('new'), claim('a', 0, 100), 8)
      const lease = { owner: 'a', epoch: 1, until: 100 }
      const expected = { run: run('new'), revision: 0, reserved: 8, lastFact: -1, standing: { openCalls: [] }, lease }
      demandEqual({ created, record }, { created: true, record: expected }, 'created')
      demandEqual(await store.load('new'), expected, 'loaded')
    },
  },
  {
    name: 'a run is created once',
    async run(store) {
      const both = await Promise.all([
        store.create(run('once'), claim('a', 0, 100), 8),
        store.create(run('once'), claim('b', 0, 100), 8),
      ])
      demandEqual(both.filter(({ created }) => created).length, 1, 'created')
      demandEqual(both[0]?.record.lease, both[1]?.record.lease, 'the lease')
    },
  },
  {
    name: 'an unknown run is undefined and has no facts and no steps',
    async run(store) {
      demandEqual(await store.load('nobody'), undefined, 'loaded')
      demandEqual(await store.facts('nobody', -1, 10), [], 'facts')
      demandEqual(await store.steps('nobody', 0, 10), [], 'steps')
      demandEqual(await store.acquire('nobody', claim('a', 0, 1)), { type: 'unknown' }, 'acquired')
    },
  },
  {
    name: 'what is appended is read again as it was, fact by fact and step by step',
    async run(store) {
      await store.create(run('read'), claim('a', 0, 100), 8)
      const [one, two] = [step(0, 2), { ...step(5, 1), opened: { seq: 3, message: 'm' } }]
      const three = { ...step(6, 0), opened: null }
      demandEqual(await append(store, 'read', 0, one), { type: 'appended', revision: 1 }, 'first')
      demandEqual(await append(store, 'read', 1, two), { type: 'appended', revision: 2 }, 'second')
      demandEqual(await append(store, 'read', 2, three), { type: 'appended', revision: 3 }, 'third')
      const last = [false, true, true]
      const facts = [...one.facts, ...two.facts].map((fact, index) => ({ ...fact, last: last[index] }))
      demandEqual(await store.facts('read', -1, 10), facts, 'facts')
      const steps = [one, two, three].map((each, index) => ({ ...each, revision: index + 1, key: `k${index}` }))
      demandEqual(await store.steps('read', 0, 10), steps, 'steps')
    },
  },
  {
    name: 'facts and steps are given in pages, from after a number',
    async run(store) {
      await store.create(run('pages'), claim('a', 0, 100), 100)
      for (let index = 0; index < 5; index++) await append(store, 'pages', index, step(index * 10, 2))
      const numbers = async (after: number, limit: number): Promise<number[]> =>
        (await store.facts('pages', after, limit)).map(({ seq }) => seq)
      demandEqual(await numbers(-1, 3), [0, 1, 10], 'the first page')
      demandEqual(await numbers(10, 3), [11, 20, 21], 'after a fact')
      demandEqual(await numbers(15, 2), [20, 21], 'between two facts')
      demandEqual(await numbers(41, 2), [], 'after the last')
      const revisions = (await store.steps('pages', 2, 2)).map(({ revision }) => revision)
      demandEqual(revisions, [3, 4], 'steps')
    },
  },
  {
    name: 'a step is appended to the revision that it names, and to no other',
    async run(store) {
      await store.create(run('cas'), claim('a', 0, 100), 8)
      await append(store, 'cas', 0, step(0, 1))
      demandEqual(await append(store, 'cas', 0, step(1, 1), { key: 'x' }), { type: 'conflict', revision: 1 }, 'too old')
      demandEqual(await append(store, 'cas', 2, step(1, 1), { key: 'y' }), { type: 'conflict', revision: 1 }, 'too new')
      const both = await Promise.all([
        append(store, 'cas', 1, step(1, 1), { key: 'p' }),
        append(store, 'cas', 1, step(1, 1), { key: 'q' }),
      ])
      demandEqual(both.map(({ type }) => type).toSorted(), ['appended', 'conflict'], 'two at once')
      demandEqual((await store.facts('cas', -1, 10)).length, 2, 'facts')
    },
  },
  {
    name: 'under one key a step is appended once, whoever tries it again and when',
    async run(store) {
      await store.create(run('key'), claim('a', 0, 100), 8)
      await append(store, 'key', 0, step(3, 1), { key: 'same' })
      const repeated = { type: 'repeated', revision: 1, first: 3 }
      demandEqual(await append(store, 'key', 0, step(3, 1), { key: 'same' }), repeated, 'the same again')
      demandEqual(await append(store, 'key', 1, step(9, 1), { key: 'same', epoch: 7 }), repeated, 'from somebody else')
      await store.create(run('other key'), claim('a', 0, 100), 8)
      demandEqual((await append(store, 'other key', 0, step(0, 0), { key: 'same' })).type, 'appended', 'of another run')
      demandEqual((await append(store, 'other key', 0, step(0, 0), { key: 'same' })).type, 'repeated', 'without facts')
    },
  },
  {
    name: 'the mark of reserved numbers only rises, but with a release',
    async run(store) {
      await store.create(run('mark'), claim('a', 0, 100), 8)
      const mark = async (): Promise<number | undefined> => (await store.load('mark'))?.reserved
      demandEqual(await store.reserve('mark', 1, 20), true, 'reserved')
      demandEqual(await store.reserve('mark', 1, 10), true, 'a lower mark')
      demandEqual(await mark(), 20, 'after a lower mark')
      await append(store, 'mark', 0, step(0, 1), { reserve: 5 })
      demandEqual(await mark(), 20, 'after a step')
      await append(store, 'mark', 1, step(1, 1), { reserve: 30 })
      demandEqual(await mark(), 30, 'after a step that reserves')
      await append(store, 'mark', 2, step(2, 1, ENDED), { reserve: 3, release: true })
      demandEqual(await mark(), 3, 'after a release')
    },
  },
  {
    name: 'what a record says is what the last step left',
    async run(store) {
      await store.create(run('record'), claim('a', 0, 100), 8)
      await append(store, 'record', 0, step(0, 2))
      await append(store, 'record', 1, step(2, 0))
      const standing = { state: ENDED, openCalls: [{ id: 'c', name: 'n', message_id: 'm' }] }
      await append(store, 'record', 2, { ...step(4, 1, ENDED), after: standing })
      const record = await store.load('record')
      demandEqual([record?.revision, record?.lastFact, record?.standing], [3, 4, standing], 'the record')
    },
  },
  {
    name: 'what was given to it may be changed afterwards, and what it gave',
    async run(store) {
      const given = { threadId: 'thread', runId: 'copies', history: [] as never[], model: 'm' }
      await store.create(given, claim('a', 0, 100), 8)
      given.model = 'changed'
      demandEqual((await store.load('copies'))?.run.model, 'm', 'the run')
    },
  },
  ...leaseCases,
]
