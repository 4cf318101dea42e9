/** The state and the activities of a run, as a writer tells them: patches as they come, and with the next commit all of it. */
import { type Delta, type Fact, type Json, type RunWriter, type Written, runWriter } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const create = (state?: Json): RunWriter => runWriter({ runId: 'ru', ...(state === undefined ? {} : { state }) })

const factsOf = (...written: readonly Written[]): Fact[] =>
  written.flatMap(({ events }) => events.flatMap((event) => (event.tier === 'fact' ? [event.event] : [])))

const deltasOf = (...written: readonly Written[]): Delta[] =>
  written.flatMap(({ events }) => events.flatMap((event) => (event.tier === 'delta' ? [event.event] : [])))

const told = (...written: readonly Written[]): Fact[] =>
  factsOf(...written).filter(({ type }) => type === 'state_snapshot' || type === 'activity_snapshot')

test('shows a patch of the state at once, and tells the state whole with the next commit', () => {
  const writer = create({ n: 0 })
  const written = [
    writer.state([{ op: 'replace', path: '/n', value: 1 }]),
    writer.state([{ op: 'add', path: '/m', value: 2 }]),
  ]
  expect(deltasOf(...written)).toStrictEqual([
    { type: 'state_delta', delta: [{ op: 'replace', path: '/n', value: 1 }], revision: 0 },
    { type: 'state_delta', delta: [{ op: 'add', path: '/m', value: 2 }], revision: 1 },
  ])
  writer.text('a')
  const committed = writer.commit()
  expect(committed.commit).toMatchObject({ snapshot: { n: 1, m: 2 }, revision: 2 })
  expect(told(committed)).toStrictEqual([{ type: 'state_snapshot', snapshot: { n: 1, m: 2 }, revision: 2 }])
  expect(told(writer.commit(), writer.end())).toStrictEqual([])
})

test('the patch that begins a run is shown after the start, and told later', () => {
  const writer = create()
  const first = writer.state([{ op: 'add', path: '/a', value: 1 }])
  expect(first.events.map(({ event }) => event.type)).toStrictEqual(['run_started', 'state_delta'])
  expect(first.commit).not.toHaveProperty('snapshot')
  expect(told(writer.end())).toStrictEqual([{ type: 'state_snapshot', snapshot: { a: 1 }, revision: 1 }])
})

test('what a commit says of the state is the state from then on, with all patches before it', () => {
  const writer = create()
  writer.state([{ op: 'add', path: '/a', value: 1 }])
  expect(told(writer.commit({ snapshot: { b: 2 } }))).toMatchObject([{ snapshot: { b: 2 }, revision: 1 }])
  const next = writer.state([{ op: 'add', path: '/c', value: 3 }])
  expect(deltasOf(next)).toMatchObject([{ revision: 1 }])
  expect(told(writer.commit())).toMatchObject([{ snapshot: { b: 2, c: 3 }, revision: 2 }])
})

test('begins an activity at once, shows its patches and tells it whole', () => {
  const writer = create()
  writer.text('a')
  const begun = writer.activity('p', 'PLAN', { steps: [] })
  expect(told(begun)).toStrictEqual([
    { type: 'activity_snapshot', message_id: 'p', activity_type: 'PLAN', content: { steps: [] }, revision: 0 },
  ])
  expect(begun.commit?.messages).toStrictEqual([])
  const patch = [{ op: 'add', path: '/steps/-', value: 'look' }] as const
  expect(deltasOf(writer.activityPatch('p', patch))).toStrictEqual([
    { type: 'activity_delta', message_id: 'p', activity_type: 'PLAN', patch, revision: 0 },
  ])
  expect(told(writer.commit())).toMatchObject([{ content: { steps: ['look'] }, revision: 1 }])
  expect(told(writer.activity('p', 'DONE', {}))).toMatchObject([{ activity_type: 'DONE', content: {}, revision: 1 }])
})

test('an activity that somebody commits may be patched, and is not told twice in one commit', () => {
  const writer = create()
  writer.commit({ activities: [{ message_id: 'p', activity_type: 'PLAN', content: { n: 0 } }] })
  writer.activityPatch('p', [{ op: 'replace', path: '/n', value: 1 }])
  const again = { message_id: 'p', activity_type: 'PLAN', content: { n: 2 } }
  expect(told(writer.commit({ activities: [again] }))).toMatchObject([{ content: { n: 2 }, revision: 1 }])
  expect(told(writer.commit({ activities: [{ ...again, content: {}, replace: false }] }))).toHaveLength(1)
  writer.activityPatch('p', [{ op: 'replace', path: '/n', value: 3 }])
  expect(told(writer.end())).toMatchObject([{ content: { n: 3 }, revision: 2 }])
})

test('counts the patches of each segment from 0', () => {
  const writer = create()
  writer.activity('p', 'PLAN', {})
  writer.activityPatch('p', [{ op: 'add', path: '/a', value: 1 }])
  writer.state([{ op: 'add', path: '/a', value: 1 }])
  expect(told(writer.await([]))).toMatchObject([{ revision: 1 }, { revision: 1 }])
  const next = [
    writer.state([{ op: 'add', path: '/b', value: 2 }]),
    writer.activityPatch('p', [{ op: 'add', path: '/b', value: 2 }]),
  ]
  expect(deltasOf(...next)).toMatchObject([{ revision: 0 }, { revision: 0 }])
  expect(told(writer.end())).toMatchObject([{ snapshot: { a: 1, b: 2 } }, { content: { a: 1, b: 2 } }])
})

test('refuses a patch that does not apply, and is as before', () => {
  const writer = create({ n: 0 })
  writer.commit()
  const patch = [
    { op: 'add', path: '/m', value: 1 },
    { op: 'remove', path: '/nowhere' },
  ] as const
  expect(() => writer.state(patch)).toThrow('the patch does not apply to the state')
  expect(() => writer.activityPatch('p', [])).toThrow('there is no activity "p": begin it with activity')
  writer.activity('p', 'PLAN', {})
  expect(() => writer.activityPatch('p', patch)).toThrow('the patch does not apply to the activity "p"')
  expect(told(writer.end())).toStrictEqual([])
})

type Act = readonly ['patch', string, number] | readonly ['commit'] | readonly ['set', number] | readonly ['await']
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant('patch' as const), fc.constantFrom('a', 'b'), fc.nat({ max: 9 })) },
  { weight: 2, arbitrary: fc.constant(['commit'] as const) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('set' as const), fc.nat({ max: 9 })) },
  { weight: 1, arbitrary: fc.constant(['await'] as const) },
)

test('whoever applies the patches and whoever reads the snapshots alone end with the same state', () => {
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 20 }), (acts) => {
      const writer = create()
      let applied: { [key: string]: Json } = {}
      let read: Json = {}
      let next = 0
      const written = acts.map((act): Written => {
        switch (act[0]) {
          case 'patch':
            applied = { ...applied, [act[1]]: act[2] }
            return writer.state([{ op: 'add', path: `/${act[1]}`, value: act[2] }])
          case 'set':
            applied = { set: act[1] }
            return writer.commit({ snapshot: { set: act[1] } })
          case 'commit':
            return writer.commit()
          case 'await':
            return writer.await([])
        }
      })
      const numbers: unknown[] = []
      const counted: number[] = []
      for (const { event } of [...written, writer.end()].flatMap(({ events }) => events)) {
        if (event.type === 'run_started') next = 0
        if (event.type !== 'state_delta' && event.type !== 'state_snapshot') continue
        numbers.push(event.revision)
        counted.push(event.type === 'state_delta' ? next++ : next)
        if (event.type === 'state_snapshot') read = event.snapshot
      }
      expect(numbers).toStrictEqual(counted)
      expect(read).toStrictEqual(applied)
    }),
    { seed: 1, numRuns: 300 },
  )
})
